import { type Database, schema } from "@minutes/db";
import { and, eq, inArray } from "drizzle-orm";

const { members, users } = schema;

/**
 * Lists the e-mail addresses of a key's or webhook's holders: its user, or all admins of its workspace.
 * @see docs/open-questions.md#q21
 */
export async function listHolderAddresses(
  db: Database,
  { userId, workspaceId }: { readonly userId: string | null; readonly workspaceId: string | null },
): Promise<string[]> {
  const rows = await db
    .select({ email: users.email })
    .from(users)
    .where(
      workspaceId === null
        ? eq(users.id, userId ?? "")
        : inArray(
            users.id,
            db
              .select({ id: members.userId })
              .from(members)
              .where(and(eq(members.workspaceId, workspaceId), eq(members.role, "admin"))),
          ),
    );
  return rows.map(({ email }) => email);
}
