import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { needs } from "@minutes/testing";
import { describe, expect, test } from "vitest";
import { bashIn, emptyDataDir, type Settings, startProcess, temporaryDir } from "../testing/process.js";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const readme = await readFile(join(root, "README.md"), "utf8");

/** Returns the code blocks of a language that contain a text. */
const blocks = (language: string, text: string): string[] =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, "gm"))]
    .map((match) => match[1] ?? "")
    .filter((block) => block.includes(text));

/** Replaces `pnpm minutes` with the binary it would run. */
const withoutPnpm = (block: string): string =>
  block.replaceAll(
    "pnpm minutes",
    `${process.execPath} --liftoff-only ${join(root, "apps/server/bin/minutes.js")}`,
  );

const run = async (block: string, settings: Settings, directory = root) => {
  const { code, stdout, stderr } = await bashIn(directory, `set -e\n${withoutPnpm(block)}`, settings);
  expect(code, stderr).toBe(0);
  return stdout;
};

describe("the README", needs("embedded"), () => {
  test("its curl lines answer on a first start", needs("bash", "curl"), async () => {
    const { url, output } = await startProcess({ DATA_DIR: await emptyDataDir() });
    const KEY = /personal key of .*: (jk_\w+)/.exec(output.stderr)?.[1] ?? "";
    const lines = blocks("sh", "curl ").flatMap((block) => block.trim().split("\n"));
    expect(lines.length).toBeGreaterThanOrEqual(3);
    for (const line of lines) {
      const answer = JSON.parse(await run(line.replace("http://127.0.0.1:3000", url), { KEY }));
      const [items] = Object.values<unknown[]>(answer.result.data.json);
      expect(items?.length, line).toBeGreaterThan(0);
    }
  });

  test("its commands make a company with a key and a meeting", needs("bash"), async () => {
    const [block = ""] = blocks("sh", "pnpm minutes");
    const directory = await temporaryDir();
    await mkdir(join(directory, "meetings"));
    const meeting = { externalId: "m1", title: "First", startTime: "2026-01-05T10:00:00Z" };
    await writeFile(join(directory, "meetings/first.json"), JSON.stringify(meeting));
    const stdout = await run(block, { DATA_DIR: await emptyDataDir() }, directory);
    expect(stdout).toMatch(/jk_\w{49}/);
  });
});
