import type { ExportedMeeting, ExportRecord, Plan } from "@minutes/contract";
import { createSession, generateToken, restoreRecord } from "@minutes/core";
import { type Database, schema } from "@minutes/db";
import { createIngestKey, createPersonalKey, createWorkspaceKey } from "@minutes/testing";
import { sql } from "drizzle-orm";

/** Credentials of the recorded installation, by a description of their holder. */
export type RecordedKeys = Readonly<Record<string, string>>;

const WORKSPACES: Record<string, Plan> = {
  team: "team",
  other: "team",
  left: "pro",
  pro: "pro",
  enterprise: "enterprise",
  free: "free",
  plus: "plus",
};

/** Users and their workspaces. Otto is not in the team, and Lea has left it. */
const USERS: Record<string, string> = {
  admin: "team",
  anna: "team",
  ben: "team",
  cleo: "team",
  otto: "other",
  lea: "left",
  pro: "pro",
  enterprise: "enterprise",
  free: "free",
  plus: "plus",
};

const TAGS: [id: string, owner: string, name: string, sharedWith: string[]][] = [
  ["budget", "anna", "budget", ["ben"]],
  ["plan", "anna", "Plan", []],
  ["odd", "anna", "Größe 🦀 & <b>", ["ben", "cleo"]],
  ["long", "anna", "x".repeat(100), []],
  ["bens", "ben", "budget", ["anna"]],
  ["ottos", "otto", "budget", []],
];

const HOUR = 3_600_000;
const at = (milliseconds: number) => new Date(milliseconds).toISOString();
const FIRST = Date.parse("2020-01-01T08:00:00.000Z");
/** Far in the future, so that a search without dates always includes it. */
const FUTURE = Date.parse("2999-06-01T12:00:00.000Z");

const WORDS = [
  "The turbines are late and the supplier has not answered.",
  "We agreed on the budget for the next quarter.",
  "Größenwahn, naïve façade, and a crab: 🦀.",
  "Somebody has to call the customer about the outage.",
  "The wombat sleeps until the board meets.",
];

/** Creates a meeting whose values are derived from its number. */
function createMeeting(id: string, owner: string, number: number, facts: Partial<ExportedMeeting> = {}) {
  const startTime = facts.startTime ?? at(FIRST + Math.floor(number / 3) * 24 * HOUR + (number % 3) * HOUR);
  const start = Date.parse(startTime);
  const isPlain = number % 4 === 3;
  const createdAt = at(FIRST + number * 36 * HOUR + 123);
  return {
    kind: "meeting",
    id: `mtg_${id}`,
    externalId: `external-${id}`,
    workspaceId: `ws_${USERS[owner]}`,
    userId: `usr_${owner}`,
    startHash: null,
    contentHash: null,
    createdAt,
    title: number % 5 === 0 ? `Ünïcode "${number}" <i>&amp;</i>\n\t🦀` : `Meeting ${number} of ${owner}`,
    generatedTitle: number % 2 ? `Generated ${number}` : null,
    startTime,
    endTime: isPlain ? null : at(start + HOUR / 2),
    calendarEvent: isPlain
      ? null
      : {
          id: `evt_${id}`,
          externalId: number % 2 ? `calendar-${number}` : null,
          title: number % 3 ? `Event ${number}` : null,
          scheduledTime: number % 3 ? at(start - 60_000) : null,
          endTime: number % 5 ? at(start + HOUR) : null,
          attendees: (["accepted", "declined", "tentative", "needsAction", null] as const)
            .slice(0, number % 6)
            .map((responseStatus, index) => ({
              name: `Attendee ${index}`,
              email: `attendee${index}@example.com`,
              responseStatus,
              organizer: index === 0,
            })),
        },
    participants: [
      { id: "s1", name: `Speaker ${owner}`, email: `${owner}@example.com` },
      { id: "s2", name: "Gäst *bold* [link](x)", email: null },
    ],
    segments: [0, 1, 2].map((turn) => ({
      speakerId: turn === 1 ? "s2" : "s1",
      text: `${WORDS[(number + turn) % WORDS.length]} (${number}.${turn})`,
      startSeconds: isPlain ? null : turn * 4.5,
      endSeconds: isPlain ? null : turn * 4.5 + 4,
    })),
    summary:
      number % 7 === 6
        ? null
        : {
            markdown: `# Summary ${number}\n\n- **bold** and _more_\n- [a link](https://example.com/?a=1&b=2) <b>x</b>\n\n| a | b |\n|---|---|\n| 1 | 🦀 |\n`,
            short: `Short "${number}" & <more>`,
          },
    tasks: Array.from({ length: number % 4 }, (_, task) => ({
      id: `tsk_${id}x${task}`,
      text: `Task ${task} of ${number} – 🦀`,
      completed: (number + task) % 3 === 0,
      assigneeId: task === 0 ? "s1" : null,
      assigneeName: task === 2 ? null : `Assignee ${task}`,
      assigneeEmail: task === 0 ? `${owner}@example.com` : null,
      createdAt,
    })),
    tagIds: [],
    sharedWith: [],
    ...facts,
  } as ExportedMeeting;
}

function* listMeetings(): Generator<ExportedMeeting> {
  for (let number = 0; number < 54; number++) {
    yield createMeeting(`anna${number}`, "anna", number, {
      tagIds: [
        ...(number % 9 === 0 ? ["tag_budget"] : []),
        ...(number % 10 === 1 ? ["tag_plan", "tag_odd", "tag_long"] : []),
      ],
      sharedWith: number % 11 === 2 ? ["usr_ben", "usr_cleo"] : [],
    });
  }
  for (let number = 0; number < 9; number++) {
    yield createMeeting(`ben${number}`, "ben", number, {
      tagIds: number < 2 ? ["tag_bens"] : [],
      sharedWith: number === 4 ? ["usr_anna"] : [],
    });
  }
  const same = at(FIRST + 500 * 24 * HOUR);
  for (const id of ["sameB", "sameA", "samea"]) yield createMeeting(id, "anna", 5, { startTime: same });
  for (let number = 0; number < 4; number++) {
    const startTime = at(FUTURE + number * HOUR);
    yield createMeeting(`future${number}`, number < 3 ? "anna" : "otto", number, { startTime });
  }
  for (const owner of ["admin", "otto", "pro", "enterprise", "free", "plus"]) {
    for (const number of [1, 2]) yield createMeeting(`${owner}${number}`, owner, number);
  }
  for (const number of [1, 2]) yield createMeeting(`lea${number}`, "lea", number, { workspaceId: "ws_team" });
}

function* listRecords(): Generator<ExportRecord> {
  for (const [name, plan] of Object.entries(WORKSPACES))
    yield {
      kind: "workspace",
      id: `ws_${name}`,
      name: `Workspace ${name}`,
      plan,
      terms: [],
      instructions: [],
    };
  for (const [name, workspace] of Object.entries(USERS)) {
    const isMember = ["anna", "ben", "cleo"].includes(name);
    yield {
      ...{ kind: "user", id: `usr_${name}`, email: `${name}@example.com`, name: `${name} Ö'Brien` },
      ...{ workspaceId: `ws_${workspace}`, role: isMember ? "member" : "admin", terms: [], instructions: [] },
    };
  }
  for (const [id, owner, name, readers] of TAGS) {
    const sharedWith = readers.map((reader) => `usr_${reader}`);
    yield { kind: "tag", id: `tag_${id}`, userId: `usr_${owner}`, name, color: "#A1b2C3", sharedWith };
  }
  yield* listMeetings();
  yield { kind: "deleted", id: "mtg_deleted", externalId: "deleted", workspaceId: "ws_team" };
}

/**
 * Stores the installation whose answers are recorded, with fixed ids and times. It has every state of a meeting, every
 * plan, every way in which a meeting reaches somebody, and every kind of credential.
 */
export async function fillRecordedDatabase(db: Database): Promise<RecordedKeys> {
  for (const record of listRecords()) await restoreRecord(db, record);
  for (const state of ["recording", "processing", "failed"] as const)
    await db.insert(schema.recordings).values({ id: `mtg_${state}`, workspaceId: "ws_team", state });
  await db.execute(sql`update summaries set locked = true where meeting_id in ('mtg_anna4', 'mtg_ben0')`);

  const keys: Record<string, string> = {};
  const personal = async (name: string, user = name, terms = {}) => {
    const { id, key } = await createPersonalKey(db, `usr_${user}`, name, terms);
    keys[`personal ${name}`] = key;
    return id;
  };
  const workspace = async (name: string, user: string, terms = {}) => {
    const { id, key } = await createWorkspaceKey(db, `usr_${user}`, name, terms);
    keys[`workspace ${name}`] = key;
    return id;
  };
  for (const user of Object.keys(USERS)) await personal(user);
  for (const user of ["admin", "otto", "pro", "enterprise", "free", "plus"])
    await workspace(user === "admin" ? "team" : user, user);
  await personal("read-only", "anna", { access: "read" });
  await workspace("read-only", "admin", { access: "read" });
  const later = { expiresAt: "2999-01-01T00:00:00.000Z" };
  for (const state of ["disabled", "revoked", "expired"]) {
    const ids = [await personal(state, "otto", later), await workspace(state, "otto", later)];
    const past = sql`'2020-01-01T00:00:00Z'`;
    for (const id of ids)
      await db.execute(
        state === "expired"
          ? sql`update api_keys set expires_at = ${past} where id = ${id}`
          : sql`update api_keys set ${sql.raw(`${state}_at`)} = ${past} where id = ${id}`,
      );
  }
  keys["ingest key"] = (await createIngestKey(db, "usr_admin", "recorder")).key;
  keys.session = (await createSession(db, "usr_anna", "token")).token;
  keys["unknown key"] = generateToken("jk_");
  return keys;
}
