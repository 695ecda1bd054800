/**
 * `pnpm bench:costs`: CPU time of the most expensive legal call of each operation, on a meeting as long as meetings can be.
 * The bounds are in docs/security.md. The list follows from the declarations: an operation without an input below is called
 * with its example.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { LIMITS, type MeetingImportInput, type Operation } from "@minutes/contract";
import { OPERATIONS } from "@minutes/contract/operations";
import { connectEmbedded, connectPostgres, type Database, schema } from "@minutes/db";
import { givenOn, insertMeetings, send, toResourceRequest } from "@minutes/testing";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { createDatabaseClock } from "../requests/database-cpu.js";
import { startSubject } from "../requests/subject.js";
import { createTemporaryDatabase } from "../search/service.js";

const { values: options } = parseArgs({
  options: {
    turns: { type: "string", default: String(LIMITS.segmentsMax) },
    meetings: { type: "string", default: "10000" },
    names: { type: "string", default: "0" },
    only: { type: "string", default: "" },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  console.log(
    "[BENCH_DATABASE_URL=postgres://…] pnpm bench:costs [--turns 100000] [--meetings 10000] [--names 0] [--only ask]",
  );
  process.exit(0);
}
const { BENCH_DATABASE_URL } = process.env;
const TURNS = Number(options.turns);
/** Calls per operation, unless it can only be called once. */
const CALLS = 3;
/** Operations after which others would find nothing. */
const ENDS = /delete|revoke|disable|regenerate|unmerge|restore/i;

/** Meetings in which one name has no address, and the turns of each. */
const UNCONFIRMED = { meetings: 60, turns: 2_000 };

/** Operations that the second call would find done, or that take a minute. */
const ONCE = new Set([
  "recordings.complete",
  "meetings.import",
  "meetings.importMany",
  "speakers.merge",
  "people.merge",
  "people.confirm",
  "keys.create",
]);

type Input = Readonly<Record<string, unknown>>;
interface Scene {
  readonly keys: Readonly<Record<"user" | "session" | "workspace" | "recorder", string>>;
  /** IDs that replace those of examples, by field. */
  readonly ids: Record<string, unknown>;
}

/** A tenth of the words are in every passage, so that a query of them compares all; the others are rare. */
const say = (at: number): string =>
  Array.from({ length: 12 }, (_, word) =>
    word % 2 === 0 ? `common${(at + word) % 40}` : `rare${(at * 7 + word * 131) % 20_000}`,
  ).join(" ");
const QUERY = Array.from({ length: 200 }, (_, word) => (word % 2 ? `common${word % 40}` : `rare${word * 97}`))
  .join(" ")
  .slice(0, LIMITS.searchQueryMax);

/** Returns a meeting with as much as one can have. */
function fill(
  turns: number,
  number: number = LIMITS.speakersMax,
): Pick<MeetingImportInput, "transcript" | "tasks" | "calendarEvent" | "tags"> {
  const people = Array.from({ length: number }, (_, at) => ({
    name: `Person ${at}`,
    email: `p${at}@example.com`,
  }));
  const turn = (at: number) => {
    const speaker = at % number;
    const { name, email } = people[speaker] ?? { name: "", email: "" };
    return { speakerId: `s${speaker}`, speakerName: name, speakerEmail: email, text: say(at) };
  };
  return {
    transcript: Array.from({ length: turns }, (_, at) => turn(at)),
    tasks: people.slice(0, LIMITS.tasksMax - CALLS).map((assignee, at) => ({ text: say(at), assignee })),
    calendarEvent: { attendees: people.slice(0, LIMITS.attendeesMax) },
    tags: Array.from({ length: LIMITS.tagsMax }, (_, at) => ({ name: `tag ${at}` })),
  };
}

async function createScene(db: Database): Promise<Scene> {
  const given = givenOn(db);
  const company = await given.company({ plan: "enterprise" });
  const { admin } = company;
  await insertMeetings(db, admin, { count: Number(options.meetings) });
  if (Number(options.names) > 0) await addSpeakers(db);
  const { meetingId, taskIds } = await given.meeting(admin, {
    ...fill(TURNS),
    summary: { markdown: "- A point that was *settled*.\n".repeat(15_000) },
  });
  // Named without an address, in more meetings than one call confirms.
  const unconfirmed = { speakerId: "s0", speakerName: "Robin", text: say(0) };
  for (let at = 0; at < UNCONFIRMED.meetings; at++)
    await given.meeting(admin, { transcript: Array(UNCONFIRMED.turns).fill(unconfirmed) });
  const { participants } = schema;
  const findPerson = async (where: SQL | undefined) => {
    const [row] = await db.select({ id: participants.personId }).from(participants).where(where).limit(1);
    return row?.id;
  };
  const find = (label: string) =>
    findPerson(and(eq(participants.meetingId, meetingId), eq(participants.id, label)));
  // As maintenance does soon after an import.
  await db.execute(sql`analyze`);
  return {
    keys: {
      user: admin.key,
      session: await given.session(admin),
      workspace: company.key,
      recorder: await given.ingestKey(company),
    },
    ids: {
      ...{ meetingId, taskId: taskIds[0], ownerEmail: admin.email, speakerLabel: "s1", intoLabel: "s2" },
      ...{
        personId: await find("s3"),
        intoId: await find("s4"),
        unconfirmedId: await findPerson(eq(participants.name, unconfirmed.speakerName)),
      },
    },
  };
}

/** Number of speakers of each of the many meetings: some with an address, others known by name only. */
const SPEAKERS = { known: 1, unconfirmed: 5 };

/** Adds speakers to all meetings: as many different people with an address as asked for, and as many known by name only. */
async function addSpeakers(db: Database): Promise<void> {
  const names = Number(options.names);
  const { meetings, participants, people } = schema;
  await db.execute(sql`insert into ${people} (id, workspace_id, name)
    select 'per_known' || n, m.workspace_id, 'Known ' || n
    from (select distinct workspace_id from ${meetings}) m cross join generate_series(1, ${names}::int) n`);
  await db.execute(sql`insert into ${participants} (meeting_id, id, position, name, email, person_id)
    select m.id, 'many' || s, s,
      case when s <= ${SPEAKERS.known} then 'Known ' else 'Unconfirmed ' end || person,
      case when s <= ${SPEAKERS.known} then 'known' || person || '@example.com' end,
      case when s <= ${SPEAKERS.known} then 'per_known' || person else 'per_' || md5(m.id || s) end
    from (select id, row_number() over (order by id) as nth from ${meetings}) m
    cross join generate_series(1, ${SPEAKERS.known + SPEAKERS.unconfirmed}::int) s
    cross join lateral (select (m.nth * ${SPEAKERS.unconfirmed} + s) % ${names}::int + 1 as person) p`);
}

/** The most expensive input of an operation, added to its example; `at` counts the calls. */
const WORST: Readonly<Record<string, (at: number) => Input>> = {
  "meetings.list": () => ({ limit: LIMITS.pageSizeMax, startDate: "2000-01-01" }),
  "tasks.list": () => ({ limit: LIMITS.pageSizeMax }),
  "people.list": () => ({ limit: LIMITS.pageSizeMax }),
  "changes.list": () => ({ limit: LIMITS.pageSizeMax, include: "detail" }),
  "meetings.search": () => ({ q: QUERY, startDate: "2000-01-01" }),
  "meetings.ask": () => ({ question: QUERY, meetingId: undefined }),
  "meetings.update": (at) => ({ summary: { markdown: `${at}\n${"- *One* point.\n".repeat(15_000)}` } }),
  "meetings.updateTurn": (at) => ({ spokenText: `${at} ${say(at).repeat(700)}` }),
  "speakers.assign": (at) => ({ name: `Name ${at}` }),
  "people.update": (at) => ({ name: `Renamed ${at}` }),
  "recordings.start": () => ({ externalId: "started" }),
  "recordings.complete": () => ({ ...fill(TURNS), calendarEvent: undefined }),
  "speakers.split": (at) => ({
    speakerLabel: `s${5 + at}`,
    turns: Array.from(
      { length: TURNS / LIMITS.speakersMax / 2 },
      (_, turn) => 5 + at + turn * LIMITS.speakersMax,
    ),
  }),
  "meetings.import": (at) => ({ ...fill(TURNS), externalId: `whole ${at}` }),
  "meetings.importMany": (at) => ({
    meetings: Array.from({ length: LIMITS.importBatch }, (_, number) => ({
      ...{
        externalId: `part ${at} ${number}`,
        ownerEmail: "",
        title: "Part",
        startTime: "2026-01-01T00:00:00Z",
      },
      // As much as the body's limit allows.
      ...fill(Math.ceil(TURNS / LIMITS.importBatch / 2), LIMITS.speakersMax / 2),
    })),
  }),
};

interface Cost {
  readonly status: number;
  readonly node: number;
  readonly database: number;
}

/** Calls every operation on a server of its own, and returns the CPU time of a call in ms. */
async function measure(url: string | null): Promise<Map<string, Cost>> {
  const dataDir = mkdtempSync(join(tmpdir(), "minutes-costs-"));
  const database = url === null ? null : await createTemporaryDatabase(url);
  const connection = database
    ? await connectPostgres({ url: database.url })
    : await connectEmbedded({ dataDir });
  const { keys, ids } = await createScene(connection.db);
  await connection.close();
  const clock = database ? createDatabaseClock(database.url) : null;
  const server = await startSubject("./minutes-server.ts", {
    ...(database ? { DATABASE_URL: database.url } : { DATA_DIR: dataDir }),
    ...{ RATE_LIMIT_PER_MINUTE: "1000000", INGEST_LIMIT_PER_MINUTE: "1000000", LOG_LEVEL: "silent" },
    SECRETS_KEY: Buffer.alloc(32, 1).toString("base64"),
  });
  const request = async (operation: Operation, at: number) => {
    const { rest, example, callers, session, name } = operation;
    if (!rest) throw new TypeError(`${name} is not served over REST.`);
    const caller = session
      ? "session"
      : callers[0] === "workspace" || callers[0] === "recorder"
        ? callers[0]
        : "user";
    const sent = { ...example, ...pick(ids, Object.keys(example)), ...WORST[name]?.(at) };
    const { meetings } = sent as { meetings?: Input[] };
    const input = clean({
      ...sent,
      ...(meetings && { meetings: meetings.map((one) => ({ ...one, ownerEmail: ids.ownerEmail })) }),
      ...(name === "people.confirm" && { personId: ids.unconfirmedId }),
      ...(name === "recordings.complete" && { meetingId: ids.recordingId }),
      ...("baseVersion" in sent && { baseVersion: await readVersion() }),
    });
    const { path, method, body } = toResourceRequest(rest, input);
    const mount =
      caller === "user" ? "/rest/v1/me" : caller === "workspace" ? "/rest/v1/workspace" : "/rest/v1";
    return { path: mount + path, method, body, key: keys[caller] };
  };
  const run = ({ path, method, body, key }: Awaited<ReturnType<typeof request>>) =>
    send(`http://127.0.0.1:${server.port}`, path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body }),
    });
  const readVersion = async () => {
    const path = `/rest/v1/me/meetings/${ids.meetingId}/versions`;
    const { body } = await run({ path, method: "GET", body: undefined, key: keys.user });
    return (body as { version: number }).version;
  };
  const readTimes = async () => [await server.readCpuTime(), (await clock?.read()) ?? 0] as const;

  const costs = new Map<string, Cost>();
  for (const operation of listOperations()) {
    const { name, callers } = operation;
    const label = callers[0] === "workspace" ? `${name} (workspace)` : name;
    const times = ENDS.test(name) || ONCE.has(name) ? 1 : CALLS;
    let [node, work, status, text] = [0, 0, 0, ""];
    for (let at = 0; at < times; at++) {
      const call = await request(operation, at);
      const [nodeBefore, workBefore] = await readTimes();
      const answer = await run(call);
      const [nodeAfter, workAfter] = await readTimes();
      node += (nodeAfter - nodeBefore) / 1_000 / times;
      work += (workAfter - workBefore) / 1_000 / times;
      ({ status, text } = answer);
      rememberId(ids, name, answer.body);
    }
    costs.set(label, { status, node, database: work });
    const refusal = status < 400 ? "" : `: ${text.slice(0, 200)}`;
    console.error(
      `${database ? "postgres" : "embedded"} ${label}: ${Math.round(node)} + ${Math.round(work)} ms, ${status}${refusal}`,
    );
  }
  server.stop();
  await clock?.close();
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
  return costs;
}

/** Lists what is served over REST, once per path and caller: reads first, and last what leaves nothing to others. */
function listOperations(): Operation[] {
  const seen = new Set<string>();
  const toRank = ({ name, type }: Operation) =>
    type === "query"
      ? 0
      : name === "meetings.delete"
        ? 4
        : ENDS.test(name)
          ? 2
          : /import|complete/.test(name)
            ? 3
            : 1;
  return OPERATIONS.filter(({ rest, callers, name }) => {
    const key = `${rest?.at} ${callers[0]}`;
    if (!rest || seen.has(key) || !name.includes(options.only)) return false;
    seen.add(key);
    return true;
  }).toSorted((a, b) => toRank(a) - toRank(b));
}

/** The field with the ID of what an operation creates. */
const CREATED: Readonly<Record<string, string>> = {
  ...{ "keys.create": "keyId", "webhooks.create": "webhookId", "retention.set": "ruleId" },
  "publicLinks.create": "linkId",
  "recordings.start": "recordingId",
};

/** Keeps the ID of what was created for the operations on it. */
function rememberId(ids: Scene["ids"], name: string, body: unknown): void {
  const { id, meetingId } = (body ?? {}) as { id?: string; meetingId?: string };
  const field = CREATED[name];
  const created = id ?? meetingId;
  if (field && created) ids[field] = created;
}

const pick = (values: Input, names: readonly string[]): Input =>
  clean(Object.fromEntries(names.map((name) => [name, values[name]])));
const clean = (values: Input): Input =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

// Side by side: CPU time doesn't depend on what else runs.
const [embedded, postgres] = await Promise.all([
  measure(null),
  BENCH_DATABASE_URL ? measure(BENCH_DATABASE_URL) : null,
]);
const format = (milliseconds: number | undefined) =>
  milliseconds === undefined ? "" : Math.round(milliseconds);
console.log(
  "| Operation | Status | Embedded, ms | Node, ms | PostgreSQL, ms |\n| --- | --- | ---: | ---: | ---: |",
);
// Those without a status of success could not be called here.
for (const [name, { status, node }] of [...embedded].sort(([, one], [, other]) => other.node - one.node)) {
  const other = postgres?.get(name);
  const statuses = [...new Set([status, other?.status ?? status])].join(", ");
  console.log(
    `| ${name} | ${statuses} | ${format(node)} | ${format(other?.node)} | ${format(other?.database)} |`,
  );
}
