import type { SimilaritySearch } from "@minutes/search";
import type { Company, Meeting, Person } from "@minutes/testing";
import { createPersonalKey } from "@minutes/testing";
import { describe, expect, test } from "vitest";
import { connectAssistant, useTool as use, useAssistantScene } from "../testing/assistant.js";
import { startTestServer, type TestServer } from "../testing/index.js";

let server: TestServer;
let company: Company;
let anna: Person;
let meeting: Meeting;
useAssistantScene((scene) => {
  ({ server, company, anna, meeting } = scene);
});

const assistant = (headers: Record<string, string>, url = server.url) => connectAssistant(url, headers);

test("an assistant searches as the API does, and the instructions say how", async () => {
  const asked: string[] = [];
  const similarity: SimilaritySearch = {
    state: () => ({ mode: "similarity", name: "test" }),
    embedQuery: async (text) => {
      asked.push(text);
      return null;
    },
    startEmbedding: () => async () => {},
  };
  const other = await startTestServer({ similarity });
  const ben = await other.given.person();
  const client = await assistant({ "x-api-key": ben.key }, other.url);
  await use(client, "search_meetings", { query: "by assistant" });
  await other.data(ben.key, "me/meetings.search", { query: "by API" });
  expect(asked).toEqual(["by assistant", "by API"]);
  expect(client.getInstructions()).toContain("search_meetings (by words and by meaning)");
  const byWords = await assistant({ "x-api-key": anna.key });
  expect(byWords.getInstructions()).toContain("search_meetings (by words only");
  await other.close();
});

describe("tools follow from the key", () => {
  test("a personal key lists, reads, searches, updates and deletes", async () => {
    const { tools } = await (await assistant({ "x-api-key": anna.key })).listTools();
    const reads = (reading: boolean) =>
      tools
        .filter(({ annotations }) => (annotations?.readOnlyHint === true) === reading)
        .map(({ name }) => name)
        .toSorted();
    expect(reads(true)).toEqual([
      ...["ask", "fetch", "find_meetings", "get_meeting", "get_person", "get_transcript", "get_turns"],
      ...["list_changes", "list_meetings", "list_people", "list_speakers", "list_tags", "list_tasks"],
      ...["list_upcoming", "list_versions", "prepare_event", "recent", "search", "search_meetings", "whoami"],
    ]);
    expect(reads(false)).toEqual([
      ...["create_task", "delete_meeting", "name_speaker", "restore_version"],
      ...["summarize_meeting", "update_meeting"],
      ...["update_meeting_tags", "update_meeting_task", "update_task", "update_turn"],
    ]);
    // By the protocol, what writes is destructive unless it says otherwise.
    const destroys = tools.filter(
      ({ annotations: { readOnlyHint, destructiveHint } = {} }) => !readOnlyHint && destructiveHint !== false,
    );
    expect(destroys.map(({ name }) => name)).toEqual(["delete_meeting"]);
  });

  test("a workspace key has no search and no tags, and filters by member; a bearer token is a key", async () => {
    const { tools } = await (await assistant({ authorization: `Bearer ${company.key}` })).listTools();
    const names = tools.map(({ name }) => name);
    for (const name of ["search_meetings", "ask", "search", "fetch", "find_meetings", "list_tags"])
      expect(names).not.toContain(name);
    const list = tools.find(({ name }) => name === "list_meetings");
    expect(Object.keys(list?.inputSchema.properties ?? {})).toContain("userEmail");
    const client = await assistant({ authorization: `Bearer ${company.key}` });
    expect(await use(client, "search_meetings", { query: "x" })).toEqual({
      refused: "This key has no such tool. See tools/list.",
    });
    expect((await use(client, "list_meetings", { userEmail: anna.email })).meetings).toHaveLength(1);
  });

  test("whoami names the key's user and workspace, or the workspace alone; my tasks are theirs", async () => {
    const personal = await assistant({ "x-api-key": anna.key });
    const { userId: id, name, email } = anna;
    const who = await use(personal, "whoami");
    expect(who).toMatchObject({
      user: { id, name, email, role: "member" },
      workspace: { id: company.workspaceId },
    });
    const shared = await assistant({ authorization: `Bearer ${company.key}` });
    const now = expect.toSatisfy((at) => Math.abs(Date.now() - Date.parse(at)) < 86_400_000);
    expect(await use(shared, "whoami")).toEqual({ user: null, workspace: who.workspace, now });
    const { tasks } = await use(personal, "list_tasks", { mine: true });
    expect(tasks).toMatchObject([{ assignee: { email } }]);
  });

  test("every parameter of every tool is described", async () => {
    const { tools } = await (await assistant({ "x-api-key": anna.key })).listTools();
    for (const { description, inputSchema } of tools) {
      expect(description).toBeTruthy();
      for (const [name, schema] of Object.entries(inputSchema.properties ?? {})) {
        expect([name, (schema as { description?: string }).description]).toEqual([name, expect.any(String)]);
      }
    }
  });

  test("a read key has no writing tools; 403: calling one anyway", async () => {
    const { key } = await createPersonalKey(server.db, anna.userId, "read", { access: "read" });
    const client = await assistant({ "x-api-key": key });
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain("get_meeting");
    expect(names).not.toContain("update_task");
    expect(names).not.toContain("delete_meeting");
    expect(await use(client, "delete_meeting", { meetingId: meeting.meetingId })).toEqual({
      refused: "This API key is read-only.",
    });
    expect(await use(client, "get_meeting", { meetingId: meeting.meetingId })).toHaveProperty("title");
  });
});
