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
  env = { BASE_URL: server.url, ME_KEY: anna.key, WORKSPACE_KEY: company.key, TASK_ID: taskId };
  expected = {
    meetings: [meetingId],
    ofWorkspace: [meetingId],
    email: anna.email,
    open: 1,
    updated: { taskId, completed: true },
    refused: [400, { error: "limit must be an integer from 1 to 100." }],
  };
});
afterAll(() => server.close());

const COMPILER = "typescript@5.9.3";
const CONFIG = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    target: "es2022",
    module: "esnext",
    moduleResolution: "bundler",
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    lib: ["es2023", "dom", "dom.iterable"],
  },
  files: ["program.ts"],
};
const ENV =
  "declare const process: { env: Record<string, string> };\nconst { BASE_URL, ME_KEY, WORKSPACE_KEY, TASK_ID } = process.env as { [name in 'BASE_URL' | 'ME_KEY' | 'WORKSPACE_KEY' | 'TASK_ID']: string };\n";

/** Generates a client, type-checks a program that uses it, and runs the program. @returns its output */
const useClient = (
  packages: readonly string[],
  generate: readonly string[],
  program: string,
): Promise<unknown> =>
  runInEmptyFolder(async (folder) => {
    await writeFile(join(folder, "package.json"), '{"name":"generated","private":true,"type":"module"}');
    await run("npm", ["install", ...NPM_FLAGS, COMPILER, ...packages], { cwd: folder });
    await writeFile(join(folder, "openapi.json"), await (await fetch(`${server.url}/openapi.json`)).text());
    const [command = "", ...args] = generate;
    await run(join(folder, "node_modules/.bin", command), args, { cwd: folder });
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(CONFIG));
    await writeFile(join(folder, "program.ts"), `${ENV}${program}`);
    await run(join(folder, "node_modules/.bin/tsc"), ["-p", "."], { cwd: folder });
    const outfile = join(folder, "program.mjs");
    await build({
      entryPoints: [join(folder, "program.ts")],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
    });
    return JSON.parse(await run("node", [outfile], { cwd: folder, env }));
  });

test("a client with the types of openapi-typescript calls /rest/v1", async () => {
  const program = `
import createClient from "openapi-fetch";
import type { paths } from "./minutes.ts";
const toClient = (key: string) => createClient<paths>({ baseUrl: BASE_URL, headers: { "x-api-key": key } });
const me = toClient(ME_KEY);
const list = await me.GET("/rest/v1/me/meetings", { params: { query: { limit: 1 } } });
const ofWorkspace = await toClient(WORKSPACE_KEY).GET("/rest/v1/workspace/meetings");
const meetingId = list.data!.meetings[0]!.id;
const detail = await me.GET("/rest/v1/me/meetings/{meetingId}", { params: { path: { meetingId } } });
const updated = await me.PATCH("/rest/v1/me/tasks/{taskId}", { params: { path: { taskId: TASK_ID } }, body: { completed: true } });
const open = await me.GET("/rest/v1/me/tasks", { params: { query: { completed: false } } });
const refused = await me.GET("/rest/v1/me/meetings", { params: { query: { limit: 0 } } });
console.log(JSON.stringify({
  meetings: list.data!.meetings.map(({ id }) => id),
  ofWorkspace: ofWorkspace.data!.meetings.map(({ id }) => id),
  email: detail.data!.user.email,
  open: open.data!.tasks.length,
  updated: updated.data,
  refused: [refused.response.status, refused.error],
}));
`;
  const packages = ["openapi-typescript@7.13.0", "openapi-fetch@0.17.0"];
  const generate = ["openapi-typescript", "openapi.json", "--output", "minutes.ts"];
  expect(await useClient(packages, generate, program)).toEqual(expected);
});

test("a client that hey-api generates calls /rest/v1", async () => {
  const program = `
import { getMeeting, listMeetings, listTasks, listWorkspaceMeetings, updateTask } from "./minutes";
import { client } from "./minutes/client.gen";
client.setConfig({ baseUrl: BASE_URL, auth: () => ME_KEY });
const list = await listMeetings({ query: { limit: 1 } });
const ofWorkspace = await listWorkspaceMeetings({ auth: () => WORKSPACE_KEY });
const meetingId = list.data!.meetings[0]!.id;
const detail = await getMeeting({ path: { meetingId } });
const updated = await updateTask({ path: { taskId: TASK_ID }, body: { completed: true } });
const open = await listTasks({ query: { completed: false } });
const refused = await listMeetings({ query: { limit: 0 } });
console.log(JSON.stringify({
  meetings: list.data!.meetings.map(({ id }) => id),
  ofWorkspace: ofWorkspace.data!.meetings.map(({ id }) => id),
  email: detail.data!.user.email,
  open: open.data!.tasks.length,
  updated: updated.data,
  refused: [refused.response!.status, refused.error],
}));
`;
  const generate = ["openapi-ts", "--input", "openapi.json", "--output", "minutes"];
  expect(await useClient(["@hey-api/openapi-ts@0.99.0"], generate, program)).toEqual(expected);
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
