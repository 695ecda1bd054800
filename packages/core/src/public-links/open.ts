import type { PublicLinkScope } from "@minutes/contract";
import { type Database, runInTurn, runNamedStatement, runSteps, type Steps, schema } from "@minutes/db";
import { eq, type SQL, sql } from "drizzle-orm";
import { buildScopeCondition, fromPublicLink, openedBy, type Scope } from "../access/index.js";
import { hashToken } from "../keys/index.js";
import { ApiError } from "../lib/errors.js";
import { fromMeetings, meetingJson } from "../meetings/index.js";
import { participantId } from "../people/index.js";
import {
  cancelLinkPassword,
  checkPassword,
  forgiveLinkPassword,
  type HashCaller,
  throttleLinkPassword,
} from "../sign-in/index.js";
import { createMask, type Mask, type MaskedPeople } from "./mask.js";
import { maskHtml } from "./mask-html.js";

const { calendarAttendees, meetingVersionContents, participants, people, publicLinks, tasks } = schema;

/** What a reader of a public link sees. Everything that is masked is masked already. */
export interface SharedMeeting {
  readonly title: string;
  readonly startTime: string;
  /** `day`: only the UTC day of the start is known; `guess`: an estimate; null: exact. */
  readonly startPrecision: string | null;
  /** Null if unknown. */
  readonly endTime: string | null;
  /** Name of the owner; null if names are masked. */
  readonly owner: string | null;
  readonly speakers: readonly string[];
  /** HTML of a few elements without attributes; empty if there is no summary. */
  readonly summary: string;
  readonly tasks: readonly {
    readonly content: string;
    readonly completed: boolean;
    /** Null: nobody. */
    readonly assignee: string | null;
    /** The day by which it should be done; null for none. */
    readonly due: string | null;
  }[];
  /** Null if the link doesn't show the transcript. */
  readonly turns: readonly SharedTurn[] | null;
  readonly expiresAt: string;
}

interface SharedTurn {
  readonly speaker: string;
  readonly text: string;
  /** Seconds from the start; null if unknown. */
  readonly start: number | null;
}

/** Answer to a reader who opens a link. */
type OpenedLink =
  | { readonly kind: "meeting"; readonly meeting: SharedMeeting }
  /** `refusal`: why the password that was sent is not accepted; null if none was sent. */
  | {
      readonly kind: "password";
      readonly refusal: { readonly status: 403 | 429; readonly message: string } | null;
    }
  /** Unknown, expired, revoked or ended: always the same. */
  | { readonly kind: "none" };

const NONE: OpenedLink = { kind: "none" };

/**
 * Opens a public link. All tokens without a link cost one statement, whatever they look like. The largest meetings take a
 * second, so they are shown in the turn of their workspace.
 * @param password null if none was sent
 * @param counts false for a request that shows nothing, such as `HEAD`
 * @throws ApiError 503 if too many read at once
 */
export async function openPublicLink(
  db: Database,
  token: string,
  { password, counts, visitor }: { password: string | null; counts: boolean; visitor: HashCaller },
): Promise<OpenedLink> {
  const scope = openedBy(hashToken(token));
  const [link] = await runNamedStatement<LinkRow>(db, "public_link", selectLink, scope.values);
  if (!link) return NONE;
  const { id, passwordHash } = link;
  if (passwordHash !== null) {
    if (password === null) return { kind: "password", refusal: null };
    const refusal = await refusePassword(db, { linkId: id, passwordHash, password }, visitor);
    if (refusal) return { kind: "password", refusal };
  }
  return runInTurn(db, link.workspaceId, async () => {
    const row = await readMeeting(db, scope, link);
    if (!row) return NONE;
    if (counts && !(await countView(db, id))) return NONE;
    return { kind: "meeting", meeting: await runSteps(writeMeeting(row, link)) };
  });
}

interface LinkRow {
  readonly id: string;
  readonly meetingId: string;
  readonly workspaceId: string;
  readonly scope: PublicLinkScope;
  readonly masksNames: boolean;
  readonly passwordHash: string | null;
  readonly expiresAt: string;
}

const selectLink = () => sql`
  select l.id, l.meeting_id as "meetingId", l.workspace_id as "workspaceId", l.scope, l.masks_names as "masksNames", l.password_hash as "passwordHash",
    l.expires_at as "expiresAt"
  from ${fromPublicLink()}`;

/** Checks a password, which is counted as failed first. @returns null if it is right */
async function refusePassword(
  db: Database,
  { linkId, passwordHash, password }: { linkId: string; passwordHash: string; password: string },
  visitor: HashCaller,
): Promise<{ status: 403 | 429; message: string } | null> {
  const attempt = { linkId, address: visitor.address };
  try {
    await throttleLinkPassword(db, attempt);
  } catch (error) {
    if (error instanceof ApiError && error.code === "TOO_MANY_REQUESTS")
      return { status: 429, message: error.message };
    throw error;
  }
  const { valid } = await checkPassword(passwordHash, password, visitor).catch(async (error: unknown) => {
    await cancelLinkPassword(db, attempt);
    throw error;
  });
  if (!valid) return { status: 403, message: "This password is wrong." };
  await forgiveLinkPassword(db, attempt);
  return null;
}

/** Counts a view. @returns false if the link has ended in between */
async function countView(db: Database, linkId: string): Promise<boolean> {
  const counted = await db
    .update(publicLinks)
    .set({ views: sql`${publicLinks.views} + 1`, lastViewedAt: sql`now()` })
    .where(eq(publicLinks.id, linkId))
    .returning({ id: publicLinks.id });
  return counted.length > 0;
}

interface MeetingRow {
  readonly allowed: boolean;
  readonly title: string;
  readonly startTime: string;
  readonly startPrecision: string | null;
  readonly endTime: string | null;
  readonly owner: string;
  readonly html: string;
  readonly speakers: readonly {
    readonly label: string;
    readonly name: string;
    readonly otherNames: readonly string[];
  }[];
  readonly tasks: readonly {
    readonly content: string;
    readonly completed: boolean;
    readonly assignee: string | null;
    readonly due: string | null;
    readonly label: string | null;
  }[];
  readonly attendees: readonly string[];
  /** Names that edits replaced: texts still have them. Empty if names are shown. */
  readonly formerNames: readonly {
    /** The speaker's; null for assignees and attendees. */
    readonly label: string | null;
    readonly name: string;
  }[];
  readonly turns: readonly {
    readonly label: string;
    readonly name: string;
    readonly text: string;
    readonly start: number | null;
  }[];
}

async function readMeeting(db: Database, scope: Scope, link: LinkRow): Promise<MeetingRow | null> {
  const [row] = await runNamedStatement<MeetingRow>(
    db,
    `public_link_${link.scope}${link.masksNames ? "_masked" : ""}`,
    () => selectMeeting(scope, link),
    { ...scope.values, meetingId: link.meetingId },
  );
  return row?.allowed === true ? row : null;
}

const list = (item: SQL, rows: SQL, order: SQL): SQL =>
  sql`case when allowed then coalesce((select json_agg(${item} order by ${order}) from ${rows}), '[]'::json) else '[]'::json end`;

/** The names that the directory has for the person of speaker `p`, also from before a merge. */
const otherNames = sql`coalesce((
  select json_agg(d.name) from ${people} d
  where d.workspace_id = m.workspace_id
    and (d.id in (p.person_id, ${participantId()}) or d.merged_into = ${participantId()})
), '[]'::json)`;

/** The last replaced values of some fields of meeting `m`, at most `most`: a link must not cost more with each edit. */
const replacedValues = (isField: SQL, most: number): SQL => sql`(
  select c.field, c.content::jsonb as content from ${meetingVersionContents} c
  where c.meeting_id = m.id and ${isField} order by c.version desc limit ${sql.raw(String(most))}
)`;

/** The names of speakers, assignees and attendees in earlier versions of meeting `m`. */
const formerNames = sql`(
  select distinct n.label, n.name from (
    ${replacedValues(sql`c.field in ('participants', 'calendarEvent')`, 100)}
    union all ${replacedValues(sql`c.field like 'task:%'`, 1_000)}
  ) c
    cross join lateral (
      select e ->> 'id' as label, e ->> 'name' as name
        from jsonb_array_elements(case when c.field = 'participants' then c.content else '[]' end) e
      union all select null, e ->> 'name'
        from jsonb_array_elements(case when c.field = 'calendarEvent' then c.content -> 'attendees' else '[]' end) e
      union all select null, case when c.field like 'task:%' then c.content ->> 'assignee_name' end
    ) n
  where n.name is not null limit 2000
) f`;

/** Selects what a link shows, and the names to mask; nothing if it has ended. Addresses are not read. */
const selectMeeting = (
  scope: Scope,
  { scope: shown, masksNames }: Pick<LinkRow, "scope" | "masksNames">,
): SQL => sql`
  select allowed, m.title, m.start_time as "startTime", m.start_precision as "startPrecision", m.end_time as "endTime", u.name as owner,
    coalesce(s.html, '') as html,
    ${list(sql`json_build_object('label', p.id, 'name', p.name, 'otherNames', ${otherNames})`, sql`${participants} p where p.meeting_id = m.id`, sql`p.position`)} as speakers,
    ${list(
      sql`json_build_object('content', k.text, 'completed', k.completed, 'assignee', k.assignee_name, 'due', k.due_on, 'label', k.assignee_id)`,
      sql`${tasks} k where k.meeting_id = m.id`,
      sql`k.position`,
    )} as tasks,
    ${list(sql`a.name`, sql`${calendarAttendees} a where a.meeting_id = m.id`, sql`a.position`)} as attendees,
    ${masksNames ? list(sql`json_build_object('label', f.label, 'name', f.name)`, formerNames, sql`f.label, f.name`) : sql`'[]'::json`} as "formerNames",
    case when allowed then ${
      shown === "transcript"
        ? meetingJson.transcript(sql`'label', p.id, 'name', p.name, 'text', x.text, 'start', x.start_seconds`)
        : sql`'[]'::json`
    } else '[]'::json end as turns
  from ${fromMeetings(buildScopeCondition(scope))}
  where m.id = ${sql.placeholder("meetingId")}`;

/** Writes what the reader sees, and lets other requests in between tasks and turns. */
function* writeMeeting(row: MeetingRow, { scope, masksNames, expiresAt }: LinkRow): Steps<SharedMeeting> {
  const mask = createMask(masksNames ? listPeople(row) : null);
  const turns: SharedTurn[] = [];
  for (const { label, name, text, start } of row.turns) {
    turns.push({ speaker: mask.name(name, label), text: mask.text(text), start });
    yield;
  }
  const shownTasks: SharedMeeting["tasks"][number][] = [];
  for (const task of row.tasks) {
    shownTasks.push(writeTask(task, mask));
    yield;
  }
  return {
    title: mask.text(row.title),
    startTime: row.startTime,
    startPrecision: row.startPrecision,
    endTime: row.endTime,
    owner: masksNames ? null : mask.text(row.owner),
    speakers: row.speakers.map(({ name, label }) => mask.name(name, label)),
    summary: maskHtml(row.html, mask),
    tasks: shownTasks,
    turns: scope === "transcript" ? turns : null,
    expiresAt,
  };
}

/** Lists the people whose names are masked, with the names that they had before an edit. */
function listPeople({ speakers, tasks, attendees, owner, formerNames }: MeetingRow): MaskedPeople {
  const former = new Map(speakers.map(({ label }) => [label, [] as string[]]));
  const formerOthers: string[] = [];
  for (const { label, name } of formerNames) (former.get(label ?? "") ?? formerOthers).push(name);
  return {
    speakers: speakers.map(({ label, name, otherNames }) => ({
      ...{ label, name, otherNames: [...otherNames, ...(former.get(label) ?? [])] },
    })),
    others: [...tasks.flatMap(({ assignee }) => assignee ?? []), ...attendees, owner, ...formerOthers],
  };
}

const writeTask = (
  { content, completed, assignee, due, label }: MeetingRow["tasks"][number],
  mask: Mask,
) => ({
  content: mask.text(content),
  ...{ completed, due },
  assignee: assignee === null ? null : mask.name(assignee, label),
});
