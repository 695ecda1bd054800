import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq, sql } from "drizzle-orm";
import { type ActAs, type Caller, toActingUser } from "../access/callers.js";
import { ApiError } from "../lib/errors.js";
import { findUserByEmailOrId } from "./users.js";
import { findWorkspace } from "./workspaces.js";

const { meetings, participants, people, tasks } = schema;

/** Whom the operator acts as: a user by e-mail address or ID, or a workspace by name or ID. */
export interface ActingAs {
  readonly user?: string | undefined;
  readonly workspace?: string | undefined;
}

const via = { kind: "operator" } as const;

/** Creates the function that finds the caller that the operator acts as. */
export const createActAs =
  ({ user, workspace }: ActingAs): ActAs =>
  async (db, owned) => {
    if (owned) return findOwner[owned.field](db, owned.id);
    if (user !== undefined) return toActingUser(await findUserByEmailOrId(db, user));
    if (workspace === undefined) throw new ApiError("BAD_REQUEST", MESSAGES.actAsNobody);
    const { id: workspaceId } = await findWorkspace(db, workspace);
    return { kind: "workspace", workspaceId, via };
  };

/** Find the caller who owns an object, or the workspace that a person belongs to. Throw an ApiError 404. */
const findOwner: Readonly<
  Record<"taskId" | "meetingId" | "personId", (db: Database, id: string) => Promise<Caller>>
> = {
  taskId: async (db, id) => {
    const [task] = await db
      .select({ userId: tasks.userId, workspaceId: tasks.workspaceId })
      .from(tasks)
      .where(eq(tasks.id, id));
    if (!task) throw new ApiError("NOT_FOUND", MESSAGES.taskNotFound);
    return toActingUser(task);
  },
  meetingId: async (db, id) => {
    const [meeting] = await db
      .select({ userId: meetings.userId, workspaceId: meetings.workspaceId })
      .from(meetings)
      .where(eq(meetings.id, id));
    if (!meeting) throw new ApiError("NOT_FOUND", MESSAGES.meetingNotFound);
    return toActingUser(meeting);
  },
  personId: async (db, id) => {
    // A speaker who is known by name only has no row of their own.
    const [person] = await db
      .select({ workspaceId: sql<string>`workspace_id` })
      .from(
        sql`(select workspace_id from ${people} where id = ${id}
          union all select m.workspace_id from ${participants} p join ${meetings} m on m.id = p.meeting_id
          where p.person_id = ${id} and m.workspace_id is not null) known`,
      )
      .limit(1);
    if (!person) throw new ApiError("NOT_FOUND", MESSAGES.personNotFound);
    return { kind: "workspace", workspaceId: person.workspaceId, via };
  },
};
