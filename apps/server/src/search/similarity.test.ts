import { setSearchLanguage } from "@minutes/search";
import { createTestDatabase, type TestDatabase } from "@minutes/testing";
import pino from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSimilaritySearch } from "./similarity.js";

const log = pino({ level: "silent" });
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const stateOf = async (settings: Parameters<typeof createSimilaritySearch>[0]) =>
  (await createSimilaritySearch(settings, await database.connect(), log)).state();

test("by default, English meetings are searched by the built-in model, and others by words", async () => {
  expect(await stateOf({})).toEqual({ mode: "similarity", name: "built-in all-MiniLM-L6-v2" });
  await setSearchLanguage(database.db, "german");
  expect(await stateOf({})).toEqual({
    mode: "words",
    reason: "the built-in model knows English only, and SEARCH_LANGUAGE is another",
  });
  expect(await stateOf({ EMBEDDINGS: "builtin" })).toMatchObject({ mode: "similarity" });
  await setSearchLanguage(database.db, "english");
});

test("EMBEDDINGS chooses words or an endpoint, whose model must be named", async () => {
  expect(await stateOf({ EMBEDDINGS: "off" })).toEqual({ mode: "words", reason: "EMBEDDINGS is off" });
  const endpoint = { EMBEDDINGS_URL: "http://127.0.0.1:1", EMBEDDINGS_MODEL: "small" };
  expect(await stateOf(endpoint)).toEqual({ mode: "similarity", name: "small" });
  await expect(stateOf({ EMBEDDINGS: "endpoint" })).rejects.toThrow(
    "EMBEDDINGS_URL and EMBEDDINGS_MODEL name the endpoint's model.",
  );
});
