import { mkdir, mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { listAudit, OPERATOR } from "@minutes/core";
import type { inferProcedureOutput } from "@trpc/server";
import pino from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MODELS } from "../search/models/catalogue.js";
import type { ReloadableSearch } from "../search/reloadable-search.js";
import { createSimilaritySearch, isModelReady } from "../search/similarity.js";
import { startTestServer, type TestServer } from "../testing/index.js";
import { callInProcess } from "./operator/in-process.js";
import type { OperatorContext } from "./operator/procedures.js";
import type { EmbeddingsStatus } from "./procedures/embeddings.js";
import type { search as searchProcedures } from "./procedures/search.js";

/** A stub of the model runtime: texts about money are close to each other, whatever their words. */
const RUNTIME = `module.exports = {
  env: {},
  pipeline: async () => async (texts) => ({
    tolist: () => texts.map((text) => (/budget|invoice|afford|money|thousand/.test(text) ? [1, 0, 0.1] : [0, 1, 0.1])),
  }),
};`;
/** A model to choose, whose files only need the right size here. */
const NAME = "all-MiniLM-L6-v2";

let server: TestServer;
let search: ReloadableSearch;
let env: { DATA_DIR: string };
let models: string;
const log = pino({ level: "silent" });
beforeAll(async () => {
  server = await startTestServer({
    similarity: {
      state: () => search.state(),
      embedQuery: (text) => search.embedQuery(text),
      startEmbedding: () => async () => {},
    },
  });
  env = { DATA_DIR: await mkdtemp(join(tmpdir(), "minutes-models-")) };
  models = join(env.DATA_DIR, "models");
  const runtime = join(models, "node_modules/@huggingface/transformers");
  await mkdir(runtime, { recursive: true });
  await writeFile(join(runtime, "index.js"), RUNTIME);
});
afterAll(async () => {
  await server.close();
  await rm(env.DATA_DIR, { recursive: true, force: true });
});

const createSearch = () => createSimilaritySearch(env, { db: server.db }, log, undefined, 0);

async function call<Result = EmbeddingsStatus>(
  path: string,
  input: object = {},
  setting: string | null = null,
): Promise<Result> {
  const context: Partial<OperatorContext> = {
    db: server.db,
    caller: OPERATOR,
    embeddings: { setting, isReady: (model) => isModelReady(env, model), load: createSearch },
    search,
  };
  const type = path === "embeddings.use" ? "mutation" : "query";
  return (await callInProcess(context as OperatorContext, { path, type, input })) as Result;
}
const explain = (input: object) =>
  call<inferProcedureOutput<typeof searchProcedures.explain>>("search.explain", input);
const use = (model: string, setting?: string) => call("embeddings.use", { model }, setting);

test("a chosen model takes over without interrupting search, and survives a restart", async () => {
  search = await createSearch();
  expect(await use("off")).toMatchObject({
    chosen: "off",
    search: { mode: "words", reason: "`minutes embeddings off` was run" },
  });
  const stop = search.startEmbedding(server.db);
  const anna = await server.given.person();
  for (const text of ["The invoice of the caterer is too high.", "Wombats dig their burrows at night."])
    await server.given.meeting(anna, { transcript: [{ speakerId: "a", speakerName: "Ann", text }] });
  const find = async (query: string) =>
    (await server.data(anna.key, "me/meetings.search", { query })).results.map(({ text }) => text);
  expect(await find("afford")).toEqual([]);

  await expect(use(NAME)).rejects.toThrow(`The files of ${NAME} are not on the server's machine.`);
  for (const { path, bytes } of MODELS.find(({ name }) => name === NAME)?.files ?? []) {
    const file = join(models, NAME, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, "");
    await truncate(file, bytes);
  }
  expect(await use(NAME)).toMatchObject({
    chosen: NAME,
    search: { mode: "similarity", name: NAME },
    meetings: 2,
  });
  expect((await find("burrows"))[0]).toContain("Wombats");
  await expect.poll(async () => (await find("afford"))[0]).toContain("invoice");
  await expect
    .poll(() => call("embeddings.status"))
    .toMatchObject({ meetings: 2, vectors: [{ model: NAME, meetings: 2 }] });

  const why = await explain({ user: anna.email, query: "what did Ann afford in burrows" });
  expect(why).toMatchObject({ byMeaning: true, chunks: [{}, {}] });
  const near = why.chunks.find(({ text }) => text.includes("invoice"));
  const said = why.chunks.find(({ text }) => text.includes("burrows"));
  expect(near?.similarity).toBeGreaterThan(said?.similarity ?? 1);
  expect(said?.coverage).toBeGreaterThan(near?.coverage ?? 1);
  expect(near?.speaker).toBe(1);
  for (const { score, coverage, similarity, speaker, meeting } of why.chunks)
    expect(score).toBeCloseTo((coverage + similarity) * (1 + 0.4 * speaker) + 0.5 * meeting, 5);
  await expect(explain({ user: "nobody@example.com", query: "x" })).rejects.toThrow(
    "No user has this e-mail",
  );
  const [entry] = (await listAudit(server.db, OPERATOR, { action: "search.explain", limit: 1 })).entries;
  expect(entry).toMatchObject({ actor: "operator", object: anna.userId });

  expect((await createSearch()).state()).toEqual({ mode: "similarity", name: NAME });
  await rm(join(models, NAME), { recursive: true });
  expect((await createSearch()).state()).toEqual({
    mode: "words",
    reason: `${NAME} is not on this machine: run \`minutes embeddings use ${NAME}\` here`,
  });
  await use("off");
  expect(await find("afford")).toEqual([]);
  await stop();
});

test("400: the settings decide on the model, or it is unknown; nothing changes", async () => {
  search = await createSearch();
  await use("off");
  await expect(use("builtin", "endpoint")).rejects.toThrow(/EMBEDDINGS/);
  await expect(use("unknown")).rejects.toThrow("The files of unknown are not on the server's machine.");
  expect(await call("embeddings.status")).toMatchObject({ chosen: "off" });
});
