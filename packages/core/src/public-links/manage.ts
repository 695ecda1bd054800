import {
  LIMITS,
  MESSAGES,
  type MeetingLinks,
  type NewPublicLink,
  type PublicLinkScope,
  type WorkspaceLinks,
} from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, desc, eq, sql } from "drizzle-orm";
import { audit } from "../access/audit.js";
import type { Caller, Manager, UserCaller } from "../access/callers.js";
import { generateToken, hashToken } from "../keys/index.js";
import { ApiError, notFoundIfDeleted } from "../lib/errors.js";
import { generateId } from "../lib/ids.js";
import { requireMeetingOwner } from "../meetings/index.js";
import { type HashCaller, hashPassword } from "../sign-in/index.js";
import { isAdmin, lockWorkspace, requireAdmin } from "../workspaces/index.js";

const { meetings, publicLinks, summaries, users, workspaces } = schema;

/** A link to create. */
export interface NewLink {
  readonly meetingId: string;
  readonly scope: PublicLinkScope;
  readonly days: number;
  readonly password?: string | undefined;
  readonly maskNames: boolean;
}

const columns = {
  id: publicLinks.id,
  meetingId: publicLinks.meetingId,
  scope: publicLinks.scope,
  maskNames: publicLinks.masksNames,
  hasPassword: sql<boolean>`${publicLinks.passwordHash} is not null`,
  createdAt: publicLinks.createdAt,
  expiresAt: publicLinks.expiresAt,
  views: publicLinks.views,
  lastViewedAt: publicLinks.lastViewedAt,
};

const isOpen = sql`${publicLinks.expiresAt} > now()`;

/**
 * Creates a link with which people outside read a meeting. Only a hash of its token is stored.
 * @param publicUrl origin of the link's address
 * @param visitor bounds the work on the password
 * @throws ApiError 404, 403 unless the caller owns the meeting and the workspace allows links, 409 for a locked summary and too
 * many links
 */
export async function createPublicLink(
  db: Database,
  caller: UserCaller,
  { meetingId, scope, days, password, maskNames: masksNames }: NewLink,
  publicUrl: string,
  visitor: HashCaller = { address: "", answerBy: Infinity },
): Promise<NewPublicLink> {
  // Before the hash, which costs more.
  await requireMeetingOwner(db, caller, meetingId);
  const passwordHash = password === undefined ? null : await hashPassword(password, visitor);
  const token = generateToken("mpl_");
  const { workspaceId } = caller;
  return db
    .transaction(async (tx) => {
      // In this order, as where a member leaves: the link is there before either changes, and ends with it.
      await lockWorkspace(tx, workspaceId);
      await requireMeetingOwner(tx, caller, meetingId, { lock: true });
      await requireLinkable(tx, workspaceId, meetingId);
      const [link] = await tx
        .insert(publicLinks)
        .values({
          ...{ id: generateId("lnk"), hash: hashToken(token), meetingId, workspaceId, scope, masksNames },
          ...{ passwordHash, expiresAt: sql`now() + make_interval(days => ${days}::int)` },
        })
        .returning(columns);
      if (!link) throw new Error("The link was not stored.");
      await audit(tx, caller, "meeting.link", meetingId);
      return { ...link, url: `${publicUrl}/s/${token}` };
    })
    .catch(notFoundIfDeleted(MESSAGES.meetingNotFound));
}

/** Requires that a locked meeting can have one more link. @throws ApiError 403, 404, 409 */
async function requireLinkable(tx: Database, workspaceId: string, meetingId: string): Promise<void> {
  const [meeting] = await tx
    .select({
      allowed: workspaces.publicLinks,
      locked: sql<boolean>`exists (select from ${summaries} s where s.meeting_id = ${meetingId} and s.locked)`,
      ofMeeting: tx.$count(publicLinks, and(eq(publicLinks.meetingId, meetingId), isOpen)),
      ofWorkspace: tx.$count(publicLinks, and(eq(publicLinks.workspaceId, workspaceId), isOpen)),
    })
    .from(meetings)
    .innerJoin(workspaces, eq(workspaces.id, meetings.workspaceId))
    .where(and(eq(meetings.id, meetingId), eq(meetings.workspaceId, workspaceId)));
  if (!meeting) throw new ApiError("NOT_FOUND", MESSAGES.meetingNotFound);
  if (!meeting.allowed) throw new ApiError("FORBIDDEN", MESSAGES.publicLinksOff);
  if (meeting.locked) throw new ApiError("CONFLICT", MESSAGES.publicLinkOfLocked);
  if (meeting.ofMeeting >= LIMITS.publicLinksPerMeeting)
    throw new ApiError("CONFLICT", MESSAGES.tooManyPublicLinks);
  if (meeting.ofWorkspace >= LIMITS.publicLinksPerWorkspace)
    throw new ApiError("CONFLICT", MESSAGES.tooManyPublicLinksOfWorkspace);
}

/** Lists the links of a meeting that have not ended, newest first. @throws ApiError 404, 403 unless the caller owns it */
export async function listPublicLinks(
  db: Database,
  caller: Manager,
  meetingId: string,
): Promise<MeetingLinks> {
  await requireMeetingOwner(db, caller, meetingId);
  const links = await db
    .select(columns)
    .from(publicLinks)
    .where(and(eq(publicLinks.meetingId, meetingId), isOpen))
    .orderBy(desc(publicLinks.createdAt), desc(publicLinks.id));
  const [workspace] = await db
    .select({ allowed: workspaces.publicLinks })
    .from(meetings)
    .innerJoin(workspaces, eq(workspaces.id, meetings.workspaceId))
    .where(eq(meetings.id, meetingId));
  return { allowed: workspace?.allowed ?? false, links };
}

/** Lists the links of a workspace that have not ended, newest first. @throws ApiError 403 unless the caller is an admin */
export async function listWorkspacePublicLinks(db: Database, caller: Caller): Promise<WorkspaceLinks> {
  const { workspaceId } = caller;
  await requireAdmin(db, caller, workspaceId);
  const links = await db
    .select({ ...columns, owner: users.name })
    .from(publicLinks)
    .innerJoin(meetings, eq(meetings.id, publicLinks.meetingId))
    .innerJoin(users, eq(users.id, meetings.userId))
    .where(and(eq(publicLinks.workspaceId, workspaceId), isOpen))
    .orderBy(desc(publicLinks.createdAt), desc(publicLinks.id));
  const [workspace] = await db
    .select({ allowed: workspaces.publicLinks })
    .from(workspaces)
    .where(eq(workspaces.id, workspaceId));
  return { allowed: workspace?.allowed ?? false, links };
}

/** Ends a link. @throws ApiError 404 for an unknown link, and unless the caller owns its meeting or is an admin */
export async function revokePublicLink(db: Database, caller: Manager, linkId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const notFound = new ApiError("NOT_FOUND", MESSAGES.publicLinkNotFound);
    const [link] = await tx
      .select({
        meetingId: publicLinks.meetingId,
        ownerId: meetings.userId,
        workspaceId: publicLinks.workspaceId,
      })
      .from(publicLinks)
      .innerJoin(meetings, eq(meetings.id, publicLinks.meetingId))
      .where(and(eq(publicLinks.id, linkId), isOpen));
    if (!link) throw notFound;
    const isOwner = caller.kind === "user" && caller.userId === link.ownerId;
    if (!isOwner && !(await isAdmin(tx, caller, link.workspaceId))) throw notFound;
    const ended = await tx
      .delete(publicLinks)
      .where(eq(publicLinks.id, linkId))
      .returning({ id: columns.id });
    if (ended.length === 0) throw notFound;
    await audit(tx, caller, "meeting.unlink", link.meetingId);
  });
}

/** Lets owners of meetings create links, or ends all of the workspace. @throws ApiError 403 unless the caller is an admin */
export async function allowPublicLinks(db: Database, caller: Caller, allowed: boolean): Promise<void> {
  const { workspaceId } = caller;
  await db.transaction(async (tx) => {
    await lockWorkspace(tx, workspaceId);
    await requireAdmin(tx, caller, workspaceId);
    const changed = await tx
      .update(workspaces)
      .set({ publicLinks: allowed, updatedAt: sql`now()` })
      .where(and(eq(workspaces.id, workspaceId), eq(workspaces.publicLinks, !allowed)))
      .returning({ id: workspaces.id });
    if (!allowed) await tx.delete(publicLinks).where(eq(publicLinks.workspaceId, workspaceId));
    if (changed.length > 0)
      await audit(tx, caller, `workspace.public-links.${allowed ? "on" : "off"}`, workspaceId);
  });
}
