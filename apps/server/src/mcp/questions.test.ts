import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadSample } from "../demo/load.js";
import { startTestServer, type TestServer, type ToolAnswer } from "../testing/index.js";

/** The most that an answer to a question may take. */
const CALLS = 4;
const BYTES = 12_288;

/** Calls a tool. */
type Use = (tool: string, args?: Record<string, unknown>) => Promise<ToolAnswer>;

interface Question {
  readonly question: string;
  /** The calls that a model makes. @returns what the answer is taken from */
  readonly script: (use: Use) => Promise<ToolAnswer>;
  /** Checks that the answer can be given from what the calls returned. */
  readonly check: (found: ToolAnswer) => void;
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
const titles = ({ meetings }: { meetings: { title: string }[] }) => meetings.map(({ title }) => title);
const assignees = ({ tasks }: { tasks: { assignee: { name: string } | null }[] }) =>
  new Set(tasks.map(({ assignee }) => assignee?.name));

const QUESTIONS: readonly Question[] = [
  {
    question: "What was decided about pricing?",
    script: async (use) => {
      const { results } = await use("search_meetings", { query: "pricing tiers decision", limit: 3 });
      return use("get_meeting", { meetingId: results[0].meetingId });
    },
    check: ({ title, summary }) => {
      expect(title).toBe("Pricing working session");
      for (const decided of ["Tiers per site", "€24", "€39", "€79", "€19 for twelve months"])
        expect(summary.markdown).toContain(decided);
    },
  },
  {
    question: "Which tasks are open, by person?",
    script: (use) => use("list_tasks", { completed: false, limit: 50 }),
    check: (found) => {
      expect(found.nextCursor).toBeNull();
      for (const name of ["José Almansa", "Priya Sundaresh", "Zoë Tamblyn", "Łukasz Wronek", undefined])
        expect(assignees(found)).toContain(name);
      expect(found.tasks.filter(({ completed }: { completed: boolean }) => completed)).toEqual([]);
    },
  },
  {
    question: "What has José still to do?",
    script: (use) => use("list_tasks", { completed: false, assignee: "jose" }),
    check: (found) => {
      expect(found.nextCursor).toBeNull();
      expect(assignees(found)).toEqual(new Set(["José Almansa"]));
      expect(JSON.stringify(found.tasks)).toContain("Show the runway in three variants");
    },
  },
  {
    question: "Prepare me for Henrike.",
    script: async (use) => {
      const found = await use("find_meetings", { person: "Henrike" });
      const meeting = await use("get_meeting", { meetingId: found.meetings[0].id });
      return { found, meeting };
    },
    check: ({ found, meeting }) => {
      expect(titles(found)).toEqual(["Board prep with Henrike"]);
      expect(meeting.summary.markdown).toContain("six weeks");
      expect(meeting.tasks.length).toBeGreaterThan(0);
    },
  },
  {
    question: "What did Łukasz say about the outage?",
    script: async (use) => {
      const found = await use("search_meetings", { query: "outage", person: "Lukasz", limit: 3 });
      const [{ meetingId, segments }] = found.results;
      return use("get_turns", { meetingId, position: segments[0].position, turns: 8 });
    },
    check: ({ segments }) => {
      const said = segments.filter(
        ({ speakerName }: { speakerName: string }) => speakerName === "Łukasz Wronek",
      );
      expect(JSON.stringify(said)).toMatch(/outage|backup|Brackwater|restore/);
    },
  },
  {
    question: "Which meetings were there last week?",
    script: (use) => use("list_meetings", { startDate: daysAgo(9), endDate: daysAgo(3) }),
    check: (found) => expect(titles(found)).toEqual(["Board prep with Henrike", "Mirefield Kitchens demo"]),
  },
  {
    question: "What happened since yesterday?",
    script: (use) => use("recent"),
    check: (found) => {
      expect(found).toMatchObject({ since: daysAgo(1), meetings: [{ title: "Daily standup" }], more: false });
      expect(found.tasks.length).toBeGreaterThan(0);
      expect(found.tasks[0]).toMatchObject({ meetingTitle: "Daily standup", id: expect.any(String) });
    },
  },
  {
    question: "Which meetings have the tag roadmap?",
    script: (use) => use("find_meetings", { tag: "roadmap" }),
    check: (found) => expect(titles(found)).toEqual(["Sprint planning", "Pricing working session"]),
  },
  {
    question: "Mark the task about the mugs as done.",
    script: async (use) => {
      const { results } = await use("search_meetings", { query: "mugs", limit: 2 });
      const { tasks } = await use("list_tasks", { completed: false, meetingId: results[0].meetingId });
      const task = tasks.find(({ text }: { text: string }) => text.includes("mug"));
      const updated = await use("update_task", { taskId: task.id, completed: true });
      const { tasks: after } = await use("list_tasks", { completed: true, meetingId: results[0].meetingId });
      return { updated, after };
    },
    check: ({ updated, after }) => {
      expect(updated).toMatchObject({ completed: true });
      expect(after).toContainEqual(expect.objectContaining({ id: updated.taskId, text: "Order five mugs" }));
    },
  },
  {
    question: "When was Mirefield first mentioned?",
    script: (use) =>
      use("search_meetings", { query: "Mirefield", startDate: "2000-01-01", order: "oldest", limit: 1 }),
    check: ({ results }) => {
      expect(results).toMatchObject([{ meetingTitle: "Mirefield Kitchens demo", meetingDate: daysAgo(8) }]);
      expect(results[0].text).toContain("Mirefield");
    },
  },
];

let server: TestServer;
let client: Client;
beforeAll(async () => {
  server = await startTestServer();
  const directory = await mkdtemp(join(tmpdir(), "minutes-sample-"));
  await loadSample(server.db, directory);
  const { personalKey: key } = JSON.parse(await readFile(join(directory, "sample-keys.json"), "utf8"));
  await rm(directory, { recursive: true });
  client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL("/mcp", server.url), {
    requestInit: { headers: { "x-api-key": key } },
  });
  await client.connect(transport as never);
  // From now on, the client checks every answer against the tool's output schema.
  await client.listTools();
});
afterAll(async () => {
  await client.close();
  await server.close();
});

test.each(QUESTIONS)("$question", async ({ question, script, check }) => {
  let [calls, bytes] = [0, 0];
  const found = await script(async (name, args = {}) => {
    const result = await client.callTool({ name, arguments: args });
    const [{ text }] = result.content as [{ text: string }];
    calls += 1;
    bytes += Buffer.byteLength(text);
    expect([name, result.isError, text]).toEqual([name, undefined, text]);
    expect(result.structuredContent).toEqual(JSON.parse(text));
    return result.structuredContent;
  });
  console.log(`${question} ${calls} calls, ${bytes} bytes`);
  check(found);
  expect(calls).toBeLessThanOrEqual(CALLS);
  expect(bytes).toBeLessThanOrEqual(BYTES);
});
