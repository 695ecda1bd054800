import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { needs } from "@minutes/testing";
import { readFile as readTranscript } from "@minutes/transcripts";
import { describe, expect, test } from "vitest";
import { runHere as minutes, minutesJson } from "../testing/installation.js";
import { meeting, OWNER, openForTest, writeMeetings } from "../testing/meeting-files.js";
import { temporaryDir } from "../testing/process.js";

describe("minutes export", needs("embedded"), () => {
  test("writes files that only their owner can read, and import restores them into an empty installation", async () => {
    const { DATA_DIR } = await openForTest();
    await minutesJson(["users", "create", OWNER], { DATA_DIR });
    const transcript = [{ speakerId: "s", speakerName: "Ann", text: "Good morning.", start: 1, end: 2.5 }];
    const files = await writeMeetings({ "one.json": meeting("one", { transcript }) });
    await minutesJson(["import", ...files], { DATA_DIR });
    const out = join(await temporaryDir(), "backup");

    expect((await minutes(["export", "--out", out], { DATA_DIR })).stderr).toMatch(/--user or --workspace/);
    expect(await minutesJson(["export", "--user", OWNER, "--docx", "--out", out], { DATA_DIR })).toEqual({
      meetings: 1,
      out,
    });
    const written = await readdir(join(out, "meetings"));
    expect(written.sort()).toEqual([
      expect.stringMatching(/^2026-01-05-mtg_\w+\.docx$/),
      expect.stringMatching(/^2026-01-05-mtg_\w+\.md$/),
      expect.stringMatching(/^2026-01-05-mtg_\w+\.vtt$/),
    ]);
    const [docx = "", markdown = "", vtt = ""] = written.map((name) => join(out, "meetings", name));
    expect(await readFile(markdown, "utf8")).toMatch(/^# Planning\n[\s\S]*\*\*Ann\*\*: Good morning\./);
    expect(await readFile(vtt, "utf8")).toContain("00:00:01.000 --> 00:00:02.500\n<v Ann>Good morning.");
    const { meetings } = await readTranscript({ name: "one.docx", bytes: await readFile(docx) });
    expect(meetings).toMatchObject([
      { transcript: { turns: [{ speaker: "Ann", text: "Good morning.", start: 1 }] } },
    ]);
    for (const file of [docx, markdown, vtt, join(out, "export.jsonl")]) {
      expect((await stat(file)).mode & 0o777, file).toBe(0o600);
    }

    const copy = { DATA_DIR: (await openForTest()).DATA_DIR };
    const put = async (...options: string[]) =>
      JSON.parse((await minutes(["import", out, "--json", ...options], copy)).stdout);
    expect(await put("--dry-run")).toMatchObject({ valid: 1, created: 0, failed: [] });
    expect(await put("--owner", OWNER)).toMatchObject({
      created: 0,
      failed: [{ error: "an export has its own people, tags and shares: omit --owner, --tag and --share." }],
    });
    expect(await put()).toMatchObject({ created: 1, unchanged: 0, failed: [] });
    expect(await put()).toMatchObject({ created: 0, unchanged: 1, failed: [] });
    expect((await minutesJson<{ email: string }[]>(["users", "list"], copy))[0]?.email).toBe(OWNER);
  });
});
