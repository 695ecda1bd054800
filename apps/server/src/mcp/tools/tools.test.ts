import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { schema } from "@minutes/db";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadSample } from "../../demo/load.js";
import { startTestServer, type TestServer, type ToolAnswer } from "../../testing/index.js";
import { shorten } from "./size.js";

let server: TestServer;
const clients: Record<string, Client> = {};
const requireClient = (key: string): Client => {
  const client = clients[key];
  if (!client) throw new Error(`No client for ${key}.`);
  return client;
};

/** Answers of a tool on the sample, by the key that calls it. */
async function use(key: string, name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
  const result = await requireClient(key).callTool({ name, arguments: args });
  const [{ text }] = result.content as [{ text: string }];
  expect([name, args, result.isError, text]).toEqual([name, args, undefined, text]);
  expect(result.structuredContent).toEqual(JSON.parse(text));
  return result.structuredContent as ToolAnswer;
}

async function connect(key: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { "x-api-key": key } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL("/mcp", server.url), { requestInit }) as never,
  );
  return client;
}

beforeAll(async () => {
  server = await startTestServer();
  const directory = await mkdtemp(join(tmpdir(), "minutes-sample-"));
  await loadSample(server.db, directory);
  const keys = JSON.parse(await readFile(join(directory, "sample-keys.json"), "utf8"));
  await rm(directory, { recursive: true });
  await addCalendar(keys.userId);
  for (const kind of ["personal", "workspace"]) clients[kind] = await connect(keys[`${kind}Key`]);
});
afterAll(async () => {
  for (const client of Object.values(clients)) await client.close();
  await server.close();
});

/** Gives a user a calendar with more events and people than an answer has room for. */
async function addCalendar(userId: string): Promise<void> {
  const people = Array.from({ length: 200 }, (_, nth) => ({
    ...{ name: `Invited Person ${nth}`, email: `person${nth}@guests.example.com`, responseStatus: null },
    organizer: nth === 150,
  }));
  await server.db
    .insert(schema.calendars)
    .values({ userId, secret: Buffer.from(""), secretKeyId: "", host: "calendar.example.com", dueAt: LATER });
  await server.db.insert(schema.calendarEntries).values(
    Array.from({ length: 50 }, (_, nth) => ({
      ...{ userId, id: `cev_${nth}`, uid: `event-${nth}`, title: `Event ${nth}`, allDay: false },
      ...{ startTime: new Date(Date.now() + (nth + 1) * 3_600_000).toISOString(), endTime: LATER },
      attendees: JSON.stringify(people),
    })),
  );
}
const LATER = "2999-01-01T00:00:00.000Z";

const list = async (key: string): Promise<readonly Tool[]> => (await requireClient(key).listTools()).tools;
const size = (answer: ToolAnswer) => Buffer.byteLength(JSON.stringify(answer));

type Call = readonly [name: string, args: Record<string, unknown>];
const calls: Record<string, Promise<readonly Call[]>> = {};
/** Arguments with which each reading tool answers something, for every meeting where it reads one. */
const listCalls = (key: string) => (calls[key] ??= findCalls(key));

async function findCalls(key: string): Promise<readonly Call[]> {
  const { meetings } = await use(key, "list_meetings", { limit: 100 });
  const ids = meetings.map(({ id }: { id: string }) => id);
  const each = (name: string, field = "meetingId") =>
    ids.map((id: string) => [name, { [field]: id }] as const);
  const transcripts = [];
  for (const meetingId of ids) {
    const { pages } = await use(key, "get_transcript", { meetingId });
    for (let page = 1; page <= pages; page++)
      transcripts.push(["get_transcript", { meetingId, page }] as const);
    for (const position of [0, 20, 50]) transcripts.push(["get_turns", { meetingId, position }] as const);
  }
  const query = "alarms at night and the outage";
  const owned =
    key === "workspace"
      ? ids
      : (await use(key, "find_meetings", { whose: "mine" })).meetings.map(({ id }: { id: string }) => id);
  const { people } = await use(key, "list_people", { limit: 100 });
  const [event] = key === "personal" ? (await use(key, "list_upcoming", {})).events : [];
  const all = [
    ...[
      ["list_upcoming", {}],
      ["prepare_event", { eventId: event?.id }],
      ["list_meetings", {}],
      ["list_meetings", { startDate: "2000-01-01" }],
      ["recent", { since: "2000-01-01" }],
    ],
    ...[
      ["list_tasks", {}],
      ["list_tasks", { completed: false }],
      ["list_changes", {}],
      ["list_tags", {}],
      ["whoami", {}],
    ],
    ...[
      ["find_meetings", {}],
      ["search_meetings", { query }],
      ["search", { query }],
      ["ask", { question: "Why did the backup fail?" }],
    ],
    ...each("get_meeting"),
    ...transcripts,
    ...owned.map((meetingId: string) => ["list_versions", { meetingId }]),
    ...each("list_speakers"),
    ["list_people", {}],
    ...people.map(({ id }: { id: string }) => ["get_person", { personId: id }]),
  ] as Call[];
  const names = new Set((await list(key)).map(({ name }) => name));
  return all.filter(([name]) => names.has(name));
}

describe.each(["personal", "workspace"])("every tool of a %s key", (key) => {
  test("has a title, a description of its own, and a schema without references", async () => {
    const tools = await list(key);
    expect(new Set(tools.map(({ title }) => title)).size).toBe(tools.length);
    const starts = tools.map(({ description = "" }) => description.slice(0, 40));
    expect(new Set(starts).size).toBe(tools.length);
    for (const { name, title, description, inputSchema } of tools) {
      expect([name, title]).toEqual([name, expect.any(String)]);
      // A model knows tools, not procedures.
      expect(description).not.toMatch(/\b(?:tasks|meetings|changes|tags)\.[a-z]/);
      for (const [tool] of (description ?? "").matchAll(/\b(?:find|search|get|list|update|edit|add)_\w+/g))
        expect(tools.map((one) => one.name)).toContain(tool);
      expect([name, inputSchema.type]).toEqual([name, "object"]);
      expect(JSON.stringify(inputSchema)).not.toContain("$ref");
    }
  });

  test("takes little room in a list: 24 KB, and 16 KB for reading", async () => {
    const tools = await list(key);
    const reading = tools.filter(({ annotations }) => annotations?.readOnlyHint);
    expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThan(24 * 1024);
    expect(Buffer.byteLength(JSON.stringify(reading))).toBeLessThan(16 * 1024);
  });

  test("that reads answers with at most 6 KB unless a parameter asks for more", async () => {
    const calls = await listCalls(key);
    const read = (await list(key))
      .filter(({ annotations }) => annotations?.readOnlyHint)
      .map(({ name }) => name);
    // A document is asked for as a whole.
    expect(new Set(calls.map(([name]) => name))).toEqual(new Set(read.filter((name) => name !== "fetch")));
    for (const [name, args] of calls) {
      const answer = await use(key, name, args);
      expect([name, args, size(answer) <= 6 * 1024, size(answer)]).toEqual([name, args, true, size(answer)]);
    }
  });

  test("has the defaults that its schema states", async () => {
    const calls = new Map(await listCalls(key));
    for (const { name, inputSchema } of await list(key)) {
      const args = calls.get(name);
      if (!args) continue;
      const properties = Object.entries(inputSchema.properties ?? {}) as [string, { default?: unknown }][];
      for (const [parameter, { default: stated }] of properties) {
        if (stated === undefined || args[parameter] !== undefined) continue;
        expect([name, parameter, await use(key, name, { ...args, [parameter]: stated })]).toEqual([
          ...[name, parameter, await use(key, name, args)],
        ]);
      }
    }
  });

  test("that lists names the searched range if it finds nothing", async () => {
    const nothing: Record<string, [args: Record<string, unknown>, searched: RegExp]> = {
      list_meetings: [{ startDate: "2999-01-01" }, /Searched: .*meetings.* with startDate "2999-01-01"\./],
      find_meetings: [
        { text: "zeppelin", tag: "roadmap" },
        /with text "zeppelin", tag "roadmap"\. Compared with titles and names/,
      ],
      recent: [{ since: "2999-01-01" }, /Searched: meetings and tasks of .* with since "2999-01-01"\./],
      search_meetings: [
        { query: "zeppelin", startDate: "2000-01-01" },
        /from 2000-01-01\. Searched by words only/,
      ],
      ask: [
        { question: "Who flew the zeppelin?" },
        /^Not found in .* of all time\. Searched for: flew, zeppelin, by words only/,
      ],
      search: [{ query: "zeppelin" }, /of all time\. Searched by words only/],
      list_tasks: [{ assignee: "Nobody" }, /Searched: tasks of .* with assignee "Nobody"\./],
      list_people: [{ name: "Nobody" }, /Searched: people of .* with name "Nobody"\./],
      list_changes: [
        { cursor: (await use(key, "list_changes", { limit: 100 })).nextCursor },
        /changed since this cursor/,
      ],
    };
    const names = (await list(key)).map(({ name }) => name);
    for (const [name, [args, searched]] of Object.entries(nothing)) {
      if (!names.includes(name)) continue;
      expect([name, (await use(key, name, args)).note]).toEqual([name, expect.stringMatching(searched)]);
    }
  });
});

test("pages that fit continue where the last one ended, and together are the whole list", async () => {
  const read = async (args: Record<string, unknown>) => {
    const ids: string[] = [];
    let pages = 0;
    for (let cursor: string | null | undefined; cursor !== null; pages++) {
      const page = await use("personal", "list_tasks", {
        ...args,
        ...(cursor === undefined ? {} : { cursor }),
      });
      ids.push(...page.tasks.map(({ id }: { id: string }) => id));
      cursor = page.nextCursor;
    }
    return { ids, pages };
  };
  const { tasks } = await use("personal", "list_tasks", { limit: 100 });
  const ids = tasks.map(({ id }: { id: string }) => id);
  const fitting = await read({});
  expect(fitting.ids).toEqual(ids);
  expect(fitting.pages).toBeGreaterThan(1);
  const own = tasks
    .filter(({ assignee }: ToolAnswer) => assignee?.name === "José Almansa")
    .map(({ id }: ToolAnswer) => id);
  expect(own.length).toBeGreaterThan(2);
  expect((await read({ assignee: "JOSE", limit: 2 })).ids).toEqual(own);
  expect((await read({ assignee: "jose@pennyfrost.example", limit: 3 })).ids).toEqual(own);
});

test("meetings are found by person, oldest first on request", async () => {
  const find = (args = {}) => use("personal", "find_meetings", args);
  const oldest = await find({ order: "oldest", everything: true });
  expect(oldest.meetings[0].title).toBe("All-hands 🎉 1,100 sites");
  expect((await find({ person: "Maeve" })).meetings).toMatchObject([{ title: "Oakhollow Dairy, visit" }]);
});

test("a meeting is corrected by its version, a turn by its position, and restored", async () => {
  const [{ id: meetingId }] = (await use("personal", "find_meetings", { text: "1:1" })).meetings;
  const { version: baseVersion } = await use("personal", "get_meeting", { meetingId });
  const edited = await use("personal", "update_meeting", { meetingId, baseVersion, title: "One-to-one" });
  const { segments } = await use("personal", "get_turns", { meetingId, position: 7, turns: 0 });
  const [{ position: turn, speakerLabel }] = segments;
  const spokenText = "Thanks. Bye, Zoë.";
  const turned = await use("personal", "update_turn", {
    meetingId,
    turn,
    baseVersion: edited.version,
    spokenText,
    speakerLabel,
  });
  const added = await use("personal", "create_task", {
    meetingId,
    baseVersion: turned.version,
    text: "Meet again",
  });
  const assigned = await use("personal", "update_meeting_task", {
    meetingId,
    taskId: added.taskId,
    baseVersion: added.version,
    due: "2027-01-31",
  });
  const read = await use("personal", "get_meeting", { meetingId });
  expect(read).toMatchObject({ title: "One-to-one", version: assigned.version });
  expect(read.tasks).toContainEqual(expect.objectContaining({ id: added.taskId, due: "2027-01-31" }));
  const { versions, version } = await use("personal", "list_versions", { meetingId });
  expect(versions.length).toBeGreaterThan(3);
  await use("personal", "restore_version", { meetingId, version: baseVersion, baseVersion: version });
  expect((await use("personal", "get_meeting", { meetingId })).title).toBe("1:1 Łukasz / Zoë");
});

test("a speaker is found among the people, and named for one meeting", async () => {
  const [{ id: meetingId }] = (await use("personal", "find_meetings", { text: "1:1" })).meetings;
  const { speakers, version: baseVersion } = await use("personal", "list_speakers", { meetingId });
  const { people } = await use("personal", "list_people", { name: "henrike" });
  const [{ id: personId, name }] = people;
  const [{ speakerLabel }] = speakers;
  const assigned = await use("personal", "name_speaker", { meetingId, speakerLabel, baseVersion, personId });
  expect([assigned.personId, assigned.name, assigned.note]).toEqual([personId, name, undefined]);
  const byName = { meetingId, speakerLabel, baseVersion: assigned.version, name: "Zephyrine" };
  const unknown = await use("personal", "name_speaker", byName);
  expect([unknown.name, unknown.email, unknown.note]).toEqual([
    "Zephyrine",
    null,
    expect.stringMatching(/^A new person/),
  ]);
  const back = { meetingId, speakerLabel, baseVersion: unknown.version, personId };
  await use("personal", "name_speaker", back);
  const { speakers: named } = await use("personal", "list_speakers", { meetingId });
  expect(named[0]).toMatchObject({ speakerLabel, personId, name, named: true });
  const { recentMeetings } = await use("personal", "get_person", { personId });
  expect(recentMeetings.map(({ id }: { id: string }) => id)).toContain(meetingId);
});

test("a list that doesn't fit is cut at an item, and says so", () => {
  const items = Array.from({ length: 40 }, (_, n) => ({ n, text: "word ".repeat(100) }));
  const list = { key: "items", what: "items", most: 40 };
  const short = shorten({ items, other: "x".repeat(3_000) }, list, "Ask for more.");
  expect(short.note).toBe("5 of 40 items, so that the answer fits into 6 KB. Ask for more.");
  expect(short.items).toEqual(items.slice(0, 5));
  expect(shorten({ items: items.slice(0, 2) }, list, "")).toEqual({ items: items.slice(0, 2) });
  expect(shorten({ items: [{ text: "x".repeat(7_000) }] }, list, "").items).toHaveLength(1);
});

test("a long meeting is shortened in its lists and its summary, unless everything is asked for", async () => {
  const anna = await server.given.person();
  const markdown = "The team decided to paint the lighthouse. ".repeat(300);
  const tasks = Array.from({ length: 70 }, (_, n) => ({
    text: `Buy the paint of color ${n} for the lighthouse, ßłé`,
  }));
  const { meetingId } = await server.given.meeting(anna, {
    summary: { markdown, short: "Painting." },
    tasks,
  });
  const client = await connect(anna.key);
  const read = async (args: object) =>
    (await client.callTool({ name: "get_meeting", arguments: { meetingId, ...args } }))
      .structuredContent as ToolAnswer;
  const [short, whole] = [await read({}), await read({ everything: true })];
  expect(size(short)).toBeLessThanOrEqual(6 * 1024);
  expect(size(short)).toBeGreaterThan(4 * 1024);
  expect(short.note).toMatch(/^Shortened to 6 KB/);
  expect(markdown.startsWith(short.summary.markdown)).toBe(true);
  expect(short.tasks).toEqual(whole.tasks.slice(0, short.tasks.length));
  expect([whole.tasks.length, whole.summary.markdown, whole.note]).toEqual([70, markdown, undefined]);
  await server.db.execute(sql`update summaries set markdown = '' where meeting_id = ${meetingId}`);
  expect((await read({})).note).toMatch(/^It has no summary.* Shortened to 6 KB/);
});
