import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { needs } from "@minutes/testing";
import { expect, test } from "vitest";
import { minutesJson } from "../../testing/installation.js";
import { emptyDataDir, startProcess, temporaryDir } from "../../testing/process.js";

const OWNER = "ann@example.com";

test("a meeting of 30 MB is imported through the running server", needs("embedded"), async () => {
  const DATA_DIR = await emptyDataDir();
  await startProcess({ DATA_DIR, DEMO: "off" });
  await minutesJson(["users", "create", OWNER], { DATA_DIR });
  const text = `${"a".repeat(1_500)} `.repeat(64);
  const transcript = Array.from({ length: 320 }, () => ({ speakerId: "s1", speakerName: "Ann", text }));
  const file = join(await temporaryDir(), "long.json");
  const facts = { externalId: "long", ownerEmail: OWNER, title: "Long", startTime: "2026-01-05T09:00:00Z" };
  await writeFile(file, JSON.stringify({ ...facts, transcript }));
  expect(await minutesJson(["import", file], { DATA_DIR })).toMatchObject({ created: 1 });
});
