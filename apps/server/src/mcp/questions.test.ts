import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadSample } from "../demo/load.js";
import { startTestServer, type TestServer } from "../testing/index.js";

/** The most that an answer to a question may take. */
const CALLS = 4;
const BYTES = 12_288;

/** Calls a tool. @returns its structured answer */
type Use = (tool: string, args?: Record<string, unknown>) => Promise<any>;

interface Question {
  readonly question: string;
  /** The calls that a model makes. @returns what the answer is taken from */
  readonly script: (use: Use) => Promise<unknown>;
  /** Texts that the answer needs. */
  readonly needs: readonly string[];
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

const QUESTIONS: readonly Question[] = [
  {
    question: "What was decided about pricing?",
    script: async (use) => {
      const { results } = await use("search_meetings", { query: "pricing tiers decision", limit: 3 });
      return [results, await use("get_meeting", { meetingId: results[0].meetingId })];
    },
    needs: ["tier"],
  },
  {
    question: "Which tasks are open, by person?",
    script: (use) => use("list_tasks", { completed: false }),
    needs: ["Łukasz Wronek", "Zoë Tamblyn"],
  },
  {
    question: "What has José still to do?",
    script: (use) => use("list_tasks", { completed: false, assignee: "jose" }),
    needs: ["José Almansa"],
  },
  {
    question: "Prepare me for Henrike.",
    script: async (use) => {
      const { meetings } = await use("find_meetings", { text: "Henrike" });
      return use("get_meeting", { meetingId: meetings[0].id });
    },
    needs: ["Henrike", "markdown"],
  },
  {
    question: "What did Łukasz say about the outage?",
    script: async (use) => {
      const found = await use("search_meetings", { query: "outage", person: "Łukasz", limit: 3 });
      const [{ meetingId, segments }] = found.results;
      return [found, await use("get_turns", { meetingId, position: segments[0].position })];
    },
    needs: ["Łukasz Wronek"],
  },
  {
    question: "Which meetings were there last week?",
    script: (use) => use("list_meetings", { startDate: daysAgo(14), endDate: daysAgo(0) }),
    needs: ["startTime"],
  },
  {
    question: "What happened since yesterday?",
    script: (use) => use("recent"),
    needs: ["since", "meetings", "tasks"],
  },
  {
    question: "Which meetings have the tag roadmap?",
    script: (use) => use("list_meetings", { tag: "roadmap" }),
    needs: ["startTime"],
  },
  {
    question: "Mark the task about the mugs as done.",
    script: async (use) => {
      const { results } = await use("search_meetings", { query: "mugs", limit: 2 });
      const { tasks } = await use("list_tasks", { completed: false, meetingId: results[0].meetingId });
      const task = tasks.find(({ text }: { text: string }) => text.includes("mug"));
      return use("update_task", { taskId: task.id, completed: true });
    },
    needs: ['"completed":true'],
  },
  {
    question: "When was Mirefield first mentioned?",
    script: (use) =>
      use("search_meetings", { query: "Mirefield", startDate: "2000-01-01", order: "oldest", limit: 1 }),
    needs: ["Mirefield", "meetingDate"],
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

test.each(QUESTIONS)("$question", async ({ question, script, needs }) => {
  let [calls, bytes] = [0, 0];
  const answer = await script(async (name, args = {}) => {
    const result = await client.callTool({ name, arguments: args });
    const [{ text }] = result.content as [{ text: string }];
    calls += 1;
    bytes += Buffer.byteLength(text);
    expect([name, result.isError, text]).toEqual([name, undefined, text]);
    expect(result.structuredContent).toEqual(JSON.parse(text));
    return result.structuredContent;
  });
  console.log(`${question} ${calls} calls, ${bytes} bytes`);
  for (const needed of needs) expect(JSON.stringify(answer)).toContain(needed);
  expect(calls).toBeLessThanOrEqual(CALLS);
  expect(bytes).toBeLessThanOrEqual(BYTES);
});
