import { createPersonalKey } from "@minutes/core";
import type { SimilaritySearch } from "@minutes/search";
import { type Company, type Meeting, type Person, send, waitForFeed } from "@minutes/testing";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../testing/index.js";
import { splitIntoPages } from "./transcript.js";

let server: TestServer;
let company: Company;
let anna: Person;
let meeting: Meeting;
const open: Client[] = [];
beforeAll(async () => {
  server = await startTestServer();
  company = await server.given.company();
  anna = await server.given.member(company);
  meeting = await server.given.richMeeting(anna, {
    startTime: new Date(Date.now() - 86_400_000).toISOString(),
    endTime: undefined,
  });
});
afterAll(async () => {
  for (const client of open) await client.close();
  await server.close();
});

/** Creates the SDK's own client, as an assistant uses it. */
async function assistant(headers: Record<string, string>, url = server.url, path = "/mcp"): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(path, url), { requestInit: { headers } });
  await client.connect(transport as never);
  open.push(client);
  return client;
}

const said = (result: unknown): string => (result as { content: { text: string }[] }).content[0]?.text ?? "";

async function use(client: Client, name: string, args: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: args });
  return result.isError ? { refused: said(result) } : JSON.parse(said(result));
}

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
    expect(tools.map(({ name }) => name)).toEqual([
      "list_meetings",
      "find_meetings",
      "get_meeting",
      "get_transcript",
      "get_turns",
      "recent",
      "delete_meeting",
      "search_meetings",
      "ask",
      "search",
      "fetch",
      "list_tasks",
      "update_task",
      "list_tags",
      "list_changes",
      "edit_meeting",
      "edit_turn",
      "add_task",
      "edit_task",
      "list_versions",
      "restore_version",
    ]);
    const marked = tools.filter(({ annotations }) => annotations?.destructiveHint).map(({ name }) => name);
    expect(marked).toEqual(["delete_meeting"]);
    const writing = tools.filter(({ annotations }) => !annotations?.readOnlyHint).map(({ name }) => name);
    expect(writing).toEqual([
      ...["delete_meeting", "update_task", "edit_meeting", "edit_turn", "add_task", "edit_task"],
      "restore_version",
    ]);
  });

  test("a workspace key has no search and no tags, and filters by member; a bearer token is a key", async () => {
    const { tools } = await (await assistant({ authorization: `Bearer ${company.key}` })).listTools();
    const names = tools.map(({ name }) => name);
    for (const name of ["search_meetings", "ask", "search", "fetch", "find_meetings", "list_tags"])
      expect(names).not.toContain(name);
    const [list] = tools;
    expect(Object.keys(list?.inputSchema.properties ?? {})).toContain("userEmail");
    const client = await assistant({ authorization: `Bearer ${company.key}` });
    expect(await use(client, "search_meetings", { query: "x" })).toEqual({
      refused: "This key has no such tool.",
    });
    expect((await use(client, "list_meetings", { userEmail: anna.email })).meetings).toHaveLength(1);
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
});

describe("answers are the API's", () => {
  test("lists, tags and search have the API's payload", async () => {
    const client = await assistant({ "x-api-key": anna.key });
    expect(await use(client, "list_meetings", { limit: 1 })).toEqual(
      await server.data(anna.key, "me/meetings.list", { limit: 1 }),
    );
    expect(await use(client, "list_tags")).toEqual(await server.data(anna.key, "me/tags.list"));
    const { tasks, nextCursor } = await server.data(anna.key, "me/tasks.list");
    // Due dates are an addition to the API's rows.
    expect(await use(client, "list_tasks")).toEqual({
      tasks: tasks.map((task: object) => ({ ...task, due: null })),
      nextCursor,
    });
  });

  test("changes are told since a cursor, and neither waited for nor sent with details", async () => {
    const ben = await server.given.member(company);
    const client = await assistant({ "x-api-key": ben.key });
    const { meetingId, taskIds } = await server.given.meeting(ben, { tasks: [{ text: "Tell" }] });
    await waitForFeed(server.db);
    const ids = ({ changes }: { changes: { id: string }[] }) => changes.map(({ id }) => id);
    let page = await use(client, "list_changes", { limit: 1 });
    expect([ids(page), page.hasMore]).toEqual([[meetingId], true]);
    page = await use(client, "list_changes", { cursor: page.nextCursor });
    expect([ids(page), page.hasMore]).toEqual([taskIds, false]);
    await server.data(ben.key, "me/tasks.update", { taskId: taskIds[0] ?? "", completed: true });
    await expect
      .poll(async () => ids(await use(client, "list_changes", { cursor: page.nextCursor })))
      .toEqual(taskIds);
    for (const args of [{ wait: 1 }, { include: ["detail"] }])
      expect(await use(client, "list_changes", args)).toEqual({
        refused: expect.stringMatching(/wait|include/),
      });
    const workspace = await assistant({ "x-api-key": company.key });
    expect((await use(workspace, "list_changes", { limit: 100 })).changes).not.toEqual([]);
  });

  test("search comes with speakers and times, five results unless asked for more, and filters", async () => {
    const client = await assistant({ "x-api-key": anna.key });
    const { meetingId } = meeting;
    const found = await use(client, "search_meetings", { query: "turbines" });
    const { results } = await server.data(anna.key, "me/meetings.search", { query: "turbines" });
    expect(found).toMatchObject({ results: [...results], allTime: null });
    expect(found.results[0]).toMatchObject({ meetingId });
    const guest = { position: 1, speakerName: "Guest", startSeconds: 2, endSeconds: 5 };
    expect(found.results[0].segments).toContainEqual(guest);
    expect(await use(client, "search_meetings", { query: "turbines", person: "Nobody" })).toEqual({
      results: [],
      allTime: null,
      note: "Nothing was found in own and shared meetings of the last 6 months, in which Nobody spoke. Searched by words only: try other words.",
    });
    expect(await use(client, "search_meetings", { query: "turbines", limit: 0 })).toEqual({
      refused: "limit must be an integer from 1 to 40.",
    });
    const tools = (await client.listTools()).tools.find(({ name }) => name === "search_meetings");
    const { limit, tag, person } = (tools?.inputSchema.properties ?? {}) as Record<string, object>;
    expect([limit, tag, person]).toMatchObject([{ maximum: 40 }, { maxLength: 100 }, { maxLength: 254 }]);
  });

  test("a meeting comes without its transcript, which comes in pages", async () => {
    const client = await assistant({ "x-api-key": anna.key });
    const { meetingId } = meeting;
    const { transcript, summary, tasks, ...whole } = await server.data(anna.key, "me/meetings.get", {
      meetingId,
    });
    expect(await use(client, "get_meeting", { meetingId })).toEqual({
      ...whole,
      summary: { markdown: summary.markdown, short: summary.short },
      tasks: tasks.map(({ content, completed, assignee }: (typeof tasks)[number]) => ({
        ...{ id: expect.any(String), text: content, completed, due: null },
        assignee: assignee && { ...assignee, id: expect.toSatisfy((id) => id === null || id !== "") },
      })),
      transcriptPages: 1,
      version: 1,
    });
    expect(await use(client, "get_transcript", { meetingId })).toEqual({
      meetingId,
      title: whole.title,
      page: 1,
      pages: 1,
      transcript,
    });
    expect(await use(client, "get_transcript", { meetingId, page: 2 })).toEqual({
      refused: "The transcript has 1 pages.",
    });
    expect(await use(client, "get_transcript", { meetingId, page: 0 })).toEqual({
      refused: "page must be an integer from 1.",
    });
  });

  test("turns are read around a position, and counted", async () => {
    const client = await assistant({ "x-api-key": anna.key });
    const { meetingId } = meeting;
    const whole = await use(client, "get_turns", { meetingId, turns: 50 });
    expect(whole.segments.map(({ position }: { position: number }) => position)).toEqual([
      ...whole.segments.keys(),
    ]);
    expect(whole.count).toBe(whole.segments.length);
    expect(await use(client, "get_turns", { meetingId, position: 1, turns: 0 })).toEqual({
      segments: [whole.segments[1]],
      count: whole.count,
    });
    const ofWorkspace = await assistant({ "x-api-key": company.key });
    expect(await use(ofWorkspace, "get_turns", { meetingId, turns: 50 })).toEqual(whole);
  });

  test("search and fetch have the shape that research assistants require", async () => {
    const client = await assistant({ "x-api-key": anna.key });
    const { meetingId } = meeting;
    const { results } = await use(client, "search", { query: "turbines" });
    expect(results[0]).toEqual({
      ...{ id: meetingId, title: expect.stringMatching(/ \(\d{4}-\d\d-\d\d\)$/), text: expect.any(String) },
      url: expect.stringMatching(new RegExp(`/meetings/${meetingId}$`)),
    });
    const document = await use(client, "fetch", { id: meetingId });
    const { transcript } = await server.data(anna.key, "me/meetings.get", { meetingId });
    expect(document).toMatchObject({
      id: meetingId,
      url: results[0].url,
      metadata: { date: expect.any(String) },
    });
    expect(document.text).toContain(transcript);
  });

  test("meetings are found by person, tasks by assignee without accents and by date, and recent has both", async () => {
    const zoe = await server.given.member(company);
    const title = "Plan the fair";
    const { meetingId } = await server.given.meeting(zoe, {
      ...{ title, startTime: new Date(Date.now() - 3_600_000).toISOString() },
      tasks: [{ text: "Book", assignee: { name: "José Ruiz" } }, { text: "Print" }],
    });
    const client = await assistant({ "x-api-key": zoe.key });
    expect((await use(client, "find_meetings", { text: "the FAIR" })).meetings).toMatchObject([
      { id: meetingId, title, openTasks: 2 },
    ]);
    const texts = async (args: Record<string, unknown>) =>
      (await use(client, "list_tasks", args)).tasks.map(({ text }: { text: string }) => text);
    expect(await texts({ assignee: "jose" })).toEqual(["Book"]);
    expect(await texts({ assignee: "jose", completed: true })).toEqual([]);
    expect(await texts({ since: "2020-01-01" })).toHaveLength(2);
    expect(await texts({ since: "2999-01-01" })).toEqual([]);
    expect(await use(client, "recent")).toMatchObject({
      ...{ meetings: [{ id: meetingId }], tasks: [{ meetingId }, { meetingId }], more: false },
    });
    expect(await use(client, "recent", { since: "2999-01-01" })).toMatchObject({ meetings: [], tasks: [] });
  });

  test("results can be ordered by date", async () => {
    const ben = await server.given.member(company);
    for (const days of [3, 30, 10])
      await server.given.meeting(ben, {
        startTime: new Date(Date.now() - days * 86_400_000).toISOString(),
        transcript: [{ speakerId: "s1", speakerName: "Ben", text: "The lighthouse is painted again." }],
      });
    const client = await assistant({ "x-api-key": ben.key });
    const dates = async (order: string) =>
      (await use(client, "search_meetings", { query: "lighthouse", order })).results.map(
        ({ meetingDate }: { meetingDate: string }) => meetingDate,
      );
    const oldest = await dates("oldest");
    expect(oldest).toEqual(oldest.toSorted());
    expect(oldest).toEqual((await dates("newest")).toReversed());
  });

  test.each([
    ["list_tasks", { assignee: 5 }, "assignee must be of type string"],
    ["list_tasks", { since: "soon" }, "since must be a date such as 2026-01-31, or an instant with a zone."],
    ["search_meetings", { query: "x", order: "random" }, "order must be one of relevance, newest, oldest."],
    ["search_meetings", { query: "x", order: "oldest", limit: 0 }, "limit must be an integer from 1 to 40."],
    ["list_tasks", { assignee: "x", limit: 101 }, "limit must be an integer from 1 to 100."],
    ["get_turns", { meetingId: "none", turns: 51 }, "turns must be an integer from 0 to 50."],
    ["recent", { until: "2026-01-01" }, 'Unknown field: "until".'],
    ["search", { query: "" }, "query must be a string of 1 to 1,000 characters."],
    ["fetch", { id: "none" }, "Meeting not found"],
  ])("%s %j is refused: %s", async (name, args, message) => {
    expect(await use(await assistant({ "x-api-key": anna.key }), name, args)).toEqual({ refused: message });
  });

  test("prompts name the person or topic; a workspace key has none", async () => {
    const client = await assistant({ "x-api-key": anna.key });
    const { prompts } = await client.listPrompts();
    const tools = (await client.listTools()).tools.map(({ name }) => name);
    for (const { name, arguments: [argument] = [] } of prompts) {
      const value = "Henrike’s <plan>";
      const { messages } = await client.getPrompt({ name, arguments: { [argument?.name ?? ""]: value } });
      const text = messages.map(({ content }) => ("text" in content ? content.text : "")).join();
      expect(text).toContain(`“${value}”`);
      for (const [tool] of text.matchAll(/\b(?:find|search|get|list)_\w+/g)) expect(tools).toContain(tool);
    }
    await expect(client.getPrompt({ name: "prepare" })).rejects.toThrow("its argument is missing");
    expect((await assistant({ "x-api-key": company.key })).getServerCapabilities()?.prompts).toBeUndefined();
  });

  test("a meeting is a resource, with the access rules of the API", async () => {
    const client = await assistant({ "x-api-key": anna.key });
    const { meetingId } = meeting;
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates[0]?.uriTemplate).toBe("minutes://meeting/{meetingId}");
    const uri = `minutes://meeting/${meetingId}`;
    const { contents } = await client.readResource({ uri });
    const { summary, title } = await server.data(anna.key, "me/meetings.get", { meetingId });
    const [{ text = "" } = {}] = contents as { text?: string }[];
    expect(text).toContain(`# ${title}`);
    expect(text).toContain(summary.markdown);
    const stranger = await assistant({ "x-api-key": (await server.given.person()).key });
    await expect(stranger.readResource({ uri })).rejects.toThrow("You do not have access to this meeting.");
    await expect(client.readResource({ uri: "minutes://task/1" })).rejects.toThrow("No such resource.");
  });

  test("every answer fits its tool's output schema, which the client checks", async () => {
    const client = await assistant({ "x-api-key": anna.key });
    const { tools } = await client.listTools();
    const { meetingId } = meeting;
    const inputs: Record<string, Record<string, unknown>> = {
      ...{
        find_meetings: { text: "x" },
        search_meetings: { query: "turbines" },
        search: { query: "turbines" },
        ask: { question: "Where are the turbines?" },
      },
      ...{
        get_meeting: { meetingId },
        get_transcript: { meetingId },
        get_turns: { meetingId },
        list_versions: { meetingId },
        fetch: { id: meetingId },
      },
    };
    for (const { name, title, description, outputSchema, annotations } of tools) {
      expect([name, title, outputSchema?.type]).toEqual([name, annotations?.title, "object"]);
      expect(description).not.toMatch(/tasks\.list|meetings\.list/);
      if (annotations?.readOnlyHint !== true) continue;
      const result = await client.callTool({ name, arguments: inputs[name] ?? {} });
      expect([name, result.isError, result.structuredContent]).toEqual([name, undefined, expect.any(Object)]);
    }
  });

  test("a read key has no writing tools; 403: calling one anyway", async () => {
    const { key } = await createPersonalKey(server.db, anna.userId, "read", undefined, { access: "read" });
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

  test("a task is updated, a meeting deleted", async () => {
    const client = await assistant({ "x-api-key": anna.key });
    const doomed = await server.given.meeting(anna, { tasks: [{ text: "Old" }] });
    const [taskId] = doomed.taskIds;
    expect(await use(client, "update_task", { taskId, text: " New " })).toEqual({ taskId, text: "New" });
    expect((await use(client, "delete_meeting", { meetingId: doomed.meetingId })).success).toBe(true);
    expect(await use(client, "get_meeting", { meetingId: doomed.meetingId })).toEqual({
      refused: "Meeting not found",
    });
  });

  test.each([
    ["get_meeting", { meetingId: "none" }, "Meeting not found"],
    ["list_meetings", { limit: 101 }, "limit must be an integer from 1 to 100."],
    ["list_meetings", { page: 2 }, 'Unknown field: "page".'],
    ["update_task", { taskId: "none", completed: true }, "Task not found or not writable"],
  ])("%s %j is refused as over HTTP: %s", async (name, args, message) => {
    expect(await use(await assistant({ "x-api-key": anna.key }), name, args)).toEqual({ refused: message });
  });

  test("another's meeting is refused with the API's sentence", async () => {
    const stranger = await server.given.person();
    const client = await assistant({ "x-api-key": stranger.key });
    expect(await use(client, "get_meeting", { meetingId: meeting.meetingId })).toEqual({
      refused: "Access denied. You do not have access to this meeting.",
    });
  });
});

describe("the endpoint", () => {
  const post = (key: string | null, body: unknown, url = server.url) =>
    fetch(`${url}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(key === null ? {} : { "x-api-key": key }),
      },
      body: JSON.stringify(body),
    });
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const tags = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_tags", arguments: {} } };

  test("401: no key, a wrong key", async () => {
    for (const [key, error] of [
      [null, "Missing API key. Use header: x-api-key: <key>"],
      ["jk_wrong", "Invalid API key"],
    ] as const) {
      const answer = await post(key, list);
      expect([answer.status, await answer.json()]).toEqual([401, { error }]);
    }
  });

  test("401: the answer names the scheme, and nothing leads a client to another sign-in", async () => {
    for (const path of ["/mcp", "/mcp/key"]) {
      const answer = await fetch(`${server.url}${path}`, { method: "POST" });
      expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([
        401,
        'Bearer realm="Minutes"',
      ]);
    }
    for (const path of [
      "oauth-protected-resource",
      "oauth-protected-resource/mcp/key",
      "oauth-authorization-server",
    ])
      expect((await fetch(`${server.url}/.well-known/${path}`)).status).toBe(404);
  });

  test("/mcp/key takes a key in both headers, as /mcp does", async () => {
    for (const headers of [{ "x-api-key": anna.key }, { authorization: `Bearer ${anna.key}` }]) {
      const client = await assistant(headers as Record<string, string>, server.url, "/mcp/key");
      expect((await use(client, "list_meetings")).meetings).toHaveLength(1);
    }
  });

  test("405: GET and DELETE, since there are no sessions", async () => {
    for (const method of ["GET", "DELETE"]) {
      const answer = await fetch(`${server.url}/mcp`, { method });
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
    }
  });

  test("400: a batch would be many calls counted as one", async () => {
    const answer = await post(anna.key, [tags, tags]);
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: "Batching is not supported. Send one call per request." },
    ]);
  });

  test("429: the quota is the API's, one request is one call, and every method is refused before its body", async () => {
    const limited = await startTestServer({ rateLimit: 3, database: server.database });
    const bert = await server.given.person();
    expect((await limited.call(bert.key, "me/tags.list")).headers["x-ratelimit-remaining"]).toBe("2");
    const answer = await post(bert.key, tags, limited.url);
    expect(answer.headers.get("x-ratelimit-remaining")).toBe("1");
    await post(bert.key, tags, limited.url);
    for (const body of [tags, list, { jsonrpc: "2.0", method: "ping" }, "no protocol"]) {
      const refused = await post(bert.key, body, limited.url);
      expect([refused.status, await refused.json()]).toEqual([
        429,
        { error: expect.stringMatching(/^Rate limit exceeded\. .* That is in \d+ seconds\.$/) },
      ]);
      expect(refused.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    }
    await limited.close();
  });

  test("400: __proto__ among a tool's arguments, as over HTTP", async () => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_meetings","arguments":{"\\u005f_proto__":{"limit":1}}}}`;
    const headers = { "content-type": "application/json", "x-api-key": anna.key };
    const answer = await fetch(`${server.url}/mcp`, { method: "POST", headers, body });
    expect([answer.status, await answer.json()]).toEqual([400, { error: 'Unknown field: "__proto__".' }]);
  });

  describe("pages of other sites", () => {
    const ask = (headers: Record<string, string>, url = server.url) =>
      send(url, "/mcp", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "x-api-key": anna.key,
          ...headers,
        },
        body: JSON.stringify(list),
      });

    test("403: a foreign Origin, and a Host open to DNS rebinding", async () => {
      for (const origin of [
        "http://evil.example",
        "null",
        "https://localhost.evil.example",
        "http://127.0.0.1:1",
      ])
        expect([origin, (await ask({ origin })).status]).toEqual([origin, 403]);
      for (const host of [
        "evil.example",
        "evil.example:3000",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
      ])
        expect([host, (await ask({ host })).status]).toEqual([host, 403]);
      expect((await ask({ host: "evil.example", origin: "http://evil.example" })).status).toBe(403);
    });

    test("200: no Origin, its own Origin, localhost and addresses as Host", async () => {
      expect((await ask({ origin: server.url })).status).toBe(200);
      for (const host of ["localhost:3000", "127.0.0.1", "[::1]:3000", "192.168.1.7:3000"])
        expect([host, (await ask({ host })).status]).toEqual([host, 200]);
    });

    test("200: the Host of PUBLIC_URL, and the origins of CORS_ORIGINS", async () => {
      const open = await startTestServer({
        database: server.database,
        publicUrl: "https://minutes.example/",
        corsOrigins: ["https://app.example"],
      });
      const host = "minutes.example";
      expect((await ask({ host }, open.url)).status).toBe(200);
      expect((await ask({ host, origin: "https://minutes.example" }, open.url)).status).toBe(200);
      expect((await ask({ host, origin: "https://app.example" }, open.url)).status).toBe(200);
      expect((await ask({ host, origin: "https://evil.example" }, open.url)).status).toBe(403);
      await open.close();
    });
  });

  test("403: the tool reports a plan without API access", async () => {
    const free = await server.given.person({ plan: "free" });
    const answer = (await (await post(free.key, tags)).json()) as { result: unknown };
    expect(said(answer.result)).toBe("API access requires a Pro, Team or Enterprise plan.");
  });
});

test("pages of a transcript end between turns, and joined they are the transcript", () => {
  const turns = Array.from({ length: 50 }, (_, n) => `**Speaker ${n}**: ${"word ".repeat(n)}😀ж\n"quoted"`);
  const transcript = turns.join("\n\n");
  for (const bytes of [1, 2, 37, 200, 10_000]) {
    const pages = splitIntoPages(transcript, bytes);
    expect(pages.join("")).toBe(transcript);
    expect(pages.every((page) => page.isWellFormed())).toBe(true);
    // A single character can be longer than the page.
    const sizes = pages
      .filter((page) => [...page].length > 1)
      .map((page) => Buffer.byteLength(JSON.stringify(page)) - 2);
    expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(bytes);
  }
  expect(
    splitIntoPages(transcript, 400)
      .slice(0, -1)
      .every((page) => page.endsWith("\n\n")),
  ).toBe(true);
  expect(splitIntoPages("")).toEqual([""]);
});
