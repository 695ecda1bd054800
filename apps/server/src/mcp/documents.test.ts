import type { Company, Meeting, Person } from "@minutes/testing";
import { expect, test } from "vitest";
import { connectAssistant, useTool as use, useAssistantScene } from "../testing/assistant.js";
import { addCalendarEvent, type TestServer } from "../testing/index.js";

let server: TestServer;
let company: Company;
let anna: Person;
let meeting: Meeting;
useAssistantScene((scene) => {
  ({ server, company, anna, meeting } = scene);
});

const assistant = (headers: Record<string, string>, url = server.url) => connectAssistant(url, headers);

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
  await expect(client.getPrompt({ name: "prepare" })).rejects.toThrow('"about" is missing');
  await expect(client.getPrompt({ name: "nonsense" })).rejects.toThrow("No such prompt");
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
  for (const line of summary.markdown.split("\n")) expect(text).toContain(`> ${line}`.trimEnd());
  const stranger = await assistant({ "x-api-key": (await server.given.person()).key });
  await expect(stranger.readResource({ uri })).rejects.toThrow("You do not have access to this meeting.");
  await expect(client.readResource({ uri: "minutes://task/1" })).rejects.toThrow("No such resource.");
});

test("every answer fits its tool's output schema, which the client checks", async () => {
  const client = await assistant({ "x-api-key": anna.key });
  const { tools } = await client.listTools();
  const { meetingId } = meeting;
  await addCalendarEvent(server.db, anna.userId);
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
      list_speakers: { meetingId },
      get_person: { personId: (await use(client, "list_people")).people[0].id },
      prepare_event: { eventId: (await use(client, "list_upcoming")).events[0].id },
      fetch: { id: meetingId },
    },
  };
  for (const { name, description, annotations } of tools) {
    expect(description).not.toMatch(/tasks\.list|meetings\.list/);
    if (annotations?.readOnlyHint !== true) continue;
    const result = await client.callTool({ name, arguments: inputs[name] ?? {} });
    expect([name, result.isError, result.structuredContent]).toEqual([name, undefined, expect.any(Object)]);
  }
});

test("a task is updated, a meeting deleted", async () => {
  const client = await assistant({ "x-api-key": anna.key });
  const doomed = await server.given.meeting(anna, { tasks: [{ text: "Old" }] });
  const [taskId] = doomed.taskIds;
  expect(await use(client, "update_task", { taskId, text: " New " })).toEqual({ taskId, text: "New" });
  expect((await use(client, "delete_meeting", { meetingId: doomed.meetingId })).success).toBe(true);
  expect(await use(client, "get_meeting", { meetingId: doomed.meetingId })).toEqual({
    refused: "Meeting not found. See list_meetings for ids.",
  });
});
