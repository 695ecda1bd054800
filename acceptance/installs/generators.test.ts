import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { NPM_FLAGS } from "../support/consumer.js";
import { run, runInEmptyFolder } from "../support/run.js";

let server: TestServer;
let env: Record<string, string>;
let expected: object;
beforeAll(async () => {
  server = await startTestServer();
  const company = await server.given.company();
  const anna = await server.given.member(company);
  const { meetingId, taskIds } = await server.given.richMeeting(anna);
  const [taskId = ""] = taskIds;
  env = {
    BASE_URL: server.url,
    ME_KEY: anna.key,
    WORKSPACE_KEY: company.key,
    INGEST_KEY: await server.given.ingestKey(company),
    TOKEN: await server.given.session(anna),
    OWNER: anna.email,
    TASK_ID: taskId,
  };
  expected = {
    meetings: [meetingId],
    ofWorkspace: [meetingId],
    email: anna.email,
    turns: "string",
    open: 1,
    updated: { taskId, completed: true },
    change: "upsert",
    keys: 1,
    state: "recording",
    refused: [400, { error: "limit must be an integer from 1 to 100." }],
  };
});
afterAll(() => server.close());

const COMPILER = "typescript@5.9.3";
/** The newest hey-api and orval need a newer Node.js than the server. */
const NODE = "node@24";
const CONFIG = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    target: "es2022",
    module: "esnext",
    moduleResolution: "bundler",
    allowImportingTsExtensions: true,
    skipLibCheck: false,
    lib: ["es2023", "esnext.disposable", "dom", "dom.iterable"],
    types: [],
  },
  files: ["program.ts"],
};
const NAMES = "'BASE_URL' | 'ME_KEY' | 'WORKSPACE_KEY' | 'INGEST_KEY' | 'TOKEN' | 'OWNER' | 'TASK_ID'";
const ENV = `declare const process: { env: Record<string, string> };
const { BASE_URL, ME_KEY, WORKSPACE_KEY, INGEST_KEY, TOKEN, OWNER, TASK_ID } = process.env as { [name in ${NAMES}]: string };
const RECORDING = { externalId: "generated", ownerEmail: OWNER, title: "Generated", startTime: "2026-03-01T09:00:00Z" };
`;

/** Generates a client, type-checks a program that uses it, and runs the program. @returns its output */
const useClient = (
  packages: readonly string[],
  generate: readonly string[],
  program: string,
): Promise<unknown> =>
  runInEmptyFolder(async (folder) => {
    await writeFile(join(folder, "package.json"), '{"name":"generated","private":true,"type":"module"}');
    await run("npm", ["install", ...NPM_FLAGS, COMPILER, NODE, ...packages], { cwd: folder });
    await writeFile(join(folder, "openapi.json"), await (await fetch(`${server.url}/openapi.json`)).text());
    await writeFile(join(folder, "orval.config.mjs"), ORVAL);
    const bin = (name: string) => join(folder, "node_modules/.bin", name);
    const [command = "", ...args] = generate;
    await run(bin("node"), [bin(command), ...args], { cwd: folder });
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(CONFIG));
    await writeFile(join(folder, "program.ts"), `${ENV}${program}`);
    await run(bin("tsc"), ["-p", "."], { cwd: folder });
    const outfile = join(folder, "program.mjs");
    const entryPoints = [join(folder, "program.ts")];
    await build({ entryPoints, outfile, bundle: true, platform: "node", format: "esm" });
    return JSON.parse(await run(bin("node"), [outfile], { cwd: folder, env }));
  });

const ORVAL = `export default {
  minutes: { input: { target: "./openapi.json" }, output: { target: "./minutes.ts", client: "fetch" } },
};
`;

test("a client with the types of openapi-typescript calls /rest/v1 and /v1", async () => {
  const program = `
import createClient from "openapi-fetch";
import type { paths } from "./minutes.ts";
const toClient = (headers: Record<string, string>) => createClient<paths>({ baseUrl: BASE_URL, headers });
const me = toClient({ "x-api-key": ME_KEY });
const list = await me.GET("/rest/v1/me/meetings", { params: { query: { limit: 1 } } });
const ofWorkspace = await toClient({ "x-api-key": WORKSPACE_KEY }).GET("/rest/v1/workspace/meetings");
const meetingId = list.data!.meetings[0]!.id;
// The generator types \`input\` as text.
const input = JSON.stringify({ json: { meetingId } });
const detail = await me.GET("/v1/me/meetings.get", { params: { query: { input } } });
const transcript = await me.GET("/rest/v1/me/meetings/{meetingId}/transcript", { params: { path: { meetingId } } });
const updated = await me.PATCH("/rest/v1/me/tasks/{taskId}", { params: { path: { taskId: TASK_ID } }, body: { completed: true } });
const open = await me.GET("/rest/v1/me/tasks", { params: { query: { completed: false } } });
const changes = await me.GET("/rest/v1/me/changes", { params: { query: { limit: 1, include: ["detail"] } } });
const keys = await toClient({ authorization: "Bearer " + TOKEN }).GET("/rest/v1/keys");
const started = await toClient({ "x-api-key": INGEST_KEY }).POST("/rest/v1/recordings", { body: RECORDING });
const refused = await me.GET("/rest/v1/me/meetings", { params: { query: { limit: 0 } } });
console.log(JSON.stringify({
  meetings: list.data!.meetings.map(({ id }) => id),
  ofWorkspace: ofWorkspace.data!.meetings.map(({ id }) => id),
  email: detail.data!.result.data.json.user.email,
  turns: typeof transcript.data!.segments[0]!.text,
  open: open.data!.tasks.length,
  updated: updated.data,
  change: changes.data!.changes[0]!.op,
  keys: keys.data!.personal.length,
  state: started.data!.state,
  refused: [refused.response.status, refused.error],
}));
`;
  const packages = ["openapi-typescript@7.13.0", "openapi-fetch@0.17.0"];
  const generate = ["openapi-typescript", "openapi.json", "--output", "minutes.ts"];
  expect(await useClient(packages, generate, program)).toEqual(expected);
});

test("a client that hey-api generates calls /rest/v1 and /v1", async () => {
  const program = `
import { getChanges, getTranscript, listKeys, listMeetings, listTasks, listWorkspaceMeetings, meMeetingsGet, startRecording, updateTask } from "./minutes";
import { client } from "./minutes/client.gen";
client.setConfig({ baseUrl: BASE_URL, auth: () => ME_KEY });
const list = await listMeetings({ query: { limit: 1 } });
const ofWorkspace = await listWorkspaceMeetings({ auth: () => WORKSPACE_KEY });
const meetingId = list.data!.meetings[0]!.id;
const querySerializer = (query: Record<string, unknown>) => "input=" + encodeURIComponent(JSON.stringify(query.input));
const detail = await meMeetingsGet({ query: { input: { json: { meetingId } } }, querySerializer });
const transcript = await getTranscript({ path: { meetingId } });
const updated = await updateTask({ path: { taskId: TASK_ID }, body: { completed: true } });
const open = await listTasks({ query: { completed: false } });
const changes = await getChanges({ query: { limit: 1, include: ["detail"] } });
const keys = await listKeys({ auth: () => TOKEN });
const started = await startRecording({ auth: () => INGEST_KEY, body: RECORDING });
const refused = await listMeetings({ query: { limit: 0 } });
console.log(JSON.stringify({
  meetings: list.data!.meetings.map(({ id }) => id),
  ofWorkspace: ofWorkspace.data!.meetings.map(({ id }) => id),
  email: detail.data!.result.data.json.user.email,
  turns: typeof transcript.data!.segments[0]!.text,
  open: open.data!.tasks.length,
  updated: updated.data,
  change: changes.data!.changes[0]!.op,
  keys: keys.data!.personal.length,
  state: started.data!.state,
  refused: [refused.response!.status, refused.error],
}));
`;
  const generate = ["openapi-ts", "--input", "openapi.json", "--output", "minutes"];
  expect(await useClient(["@hey-api/openapi-ts@0.99.0"], generate, program)).toEqual(expected);
});

test("a client that orval generates calls /rest/v1", async () => {
  const program = `
import * as api from "./minutes.ts";
const { fetch } = globalThis;
globalThis.fetch = (path, init) => fetch(BASE_URL + path, init);
const as = (key: string) => ({ headers: { "x-api-key": key } });
const me = as(ME_KEY);
const list = await api.listMeetings({ limit: 1 }, me);
const ofWorkspace = await api.listWorkspaceMeetings({}, as(WORKSPACE_KEY));
const refused = await api.listMeetings({ limit: 0 }, me);
if (list.status !== 200 || ofWorkspace.status !== 200) throw new Error("refused");
const meetingId = list.data.meetings[0]!.id;
const detail = await api.getMeeting(meetingId, me);
const transcript = await api.getTranscript(meetingId, me);
const updated = await api.updateTask(TASK_ID, { completed: true }, me);
const open = await api.listTasks({ completed: false }, me);
const changes = await api.getChanges({ limit: 1, include: ["detail"] }, me);
const keys = await api.listKeys({ headers: { authorization: "Bearer " + TOKEN } });
const started = await api.startRecording(RECORDING, as(INGEST_KEY));
if (detail.status !== 200 || transcript.status !== 200 || updated.status !== 200 || open.status !== 200) throw new Error("refused");
if (changes.status !== 200 || keys.status !== 200 || started.status !== 200) throw new Error("refused");
console.log(JSON.stringify({
  meetings: list.data.meetings.map(({ id }) => id),
  ofWorkspace: ofWorkspace.data.meetings.map(({ id }) => id),
  email: detail.data.user.email,
  turns: typeof transcript.data.segments[0]!.text,
  open: open.data.tasks.length,
  updated: updated.data,
  change: changes.data.changes[0]!.op,
  keys: keys.data.personal.length,
  state: started.data.state,
  refused: [refused.status, refused.data],
}));
`;
  expect(await useClient(["orval@8.38.0"], ["orval", "--config", "orval.config.mjs"], program)).toEqual(
    expected,
  );
});

test.each([
  ["Redocly", "@redocly/cli@1.34.0", ["redocly", "lint", "openapi.json", "--format=json"], '"warnings":0'],
  ["Spectral", "@stoplight/spectral-cli@6.15.0", ["spectral", "lint", "openapi.json"], "No results"],
])("%s finds nothing in the document", (_, tool, [command = "", ...args], expected) =>
  runInEmptyFolder(async (folder) => {
    await writeFile(join(folder, "package.json"), '{"name":"lint","private":true}');
    await run("npm", ["install", ...NPM_FLAGS, tool], { cwd: folder });
    await writeFile(join(folder, ".spectral.yaml"), "extends: ['spectral:oas']\n");
    await writeFile(join(folder, "openapi.json"), await (await fetch(`${server.url}/openapi.json`)).text());
    const output = await run(join(folder, "node_modules/.bin", command), args, { cwd: folder });
    expect(output.replaceAll(/\s/g, " ").replaceAll('": ', '":')).toContain(expected);
  }),
);
