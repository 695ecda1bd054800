import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readEnv } from "./env.js";
import { sessionSecret } from "./session-secret.js";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "minutes-secret-"));
});
afterAll(() => rm(directory, { recursive: true }));

test("a secret is made once; a file that lost it signs nothing", async () => {
  const env = readEnv({ DATA_DIR: directory });
  const secret = await sessionSecret(env);
  expect(secret).toHaveLength(43);
  expect(await sessionSecret(env)).toBe(secret);
  const file = join(directory, "session-secret");
  expect(await readFile(file, "utf8")).toBe(secret);
  await writeFile(file, "");
  await expect(sessionSecret(env)).rejects.toThrow(/does not hold a whole secret/);
});
