import { copyFile, readFile, utimes, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { needs } from "@minutes/testing";
import { zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { runHere as minutes, minutesJson } from "../testing/installation.js";
import { meeting, OWNER, openForTest, writeMeetings } from "../testing/meeting-files.js";
import { temporaryDir } from "../testing/process.js";

describe("minutes import", needs("embedded"), () => {
  test("a bad file is reported with its field, the others are imported, and a repeat changes nothing", async () => {
    const { DATA_DIR } = await openForTest();
    await minutesJson(["users", "create", OWNER], { DATA_DIR });
    const files = await writeMeetings({
      "good.json": `\uFEFF${JSON.stringify(meeting("one", { tasks: [{ text: "Order tea" }] }))}`,
      "broken.json": '{"externalId": "two", "title": secret words}',
      "wrong-field.json": meeting("three", { startTime: "yesterday" }),
      "unknown-field.json": meeting("four", { colour: "red" }),
      "several.json": [
        meeting("five"),
        meeting("six", { ownerEmail: "nobody@example.com" }),
        meeting("seven"),
      ],
      "changed.json": meeting("one", { title: "Another" }),
    });
    const empty = await temporaryDir();
    const missing = join(empty, "missing.json");

    const first = await minutes(["import", ...files, missing, empty, "--json"], { DATA_DIR });
    expect(first.code).toBe(1);
    const report = JSON.parse(first.stdout);
    expect(report).toMatchObject({ created: 3, unchanged: 0 });
    const failed = report.failed.map(({ file, index, error }: Record<string, string>) =>
      [file?.split("/").at(-1), index, error].join(" | "),
    );
    expect(failed).toEqual([
      expect.stringMatching(/^broken\.json \| {2}\| Not valid JSON/),
      "wrong-field.json |  | startTime must be an ISO 8601 date-time with a zone",
      'unknown-field.json |  | Unknown field: "colour".',
      "several.json | 1 | ownerEmail: No user has this e-mail address.",
      "changed.json |  | externalId: A different meeting with this externalId exists.",
      "missing.json |  | No such file.",
      expect.stringMatching(/ \| {2}\| This folder has no meetings\.$/),
    ]);
    expect(first.stderr.replace(/^.* of 8 files, .*\n/gm, "")).toBe(""); // a slow machine shows the progress
    expect(first.stdout).not.toContain("secret");
    const inWords = await minutes(["import", ...files], { DATA_DIR });
    expect(inWords.stderr).toContain("wrong-field.json: startTime");
    expect(inWords.stderr).not.toContain("secret");

    const again = await minutes(["import", files[0] ?? ""], { DATA_DIR });
    expect([again.code, again.stdout]).toEqual([0, "0 imported, 1 already there, 0 failed\n"]);
  });

  test("the same file with another name or time is the same meeting; what was assumed is told", async () => {
    const { DATA_DIR } = await openForTest();
    await minutesJson(["users", "create", OWNER], { DATA_DIR });
    const file = join(await temporaryDir(), "call.txt");
    await writeFile(file, "Priya Nair: Hello.\nNoor: Hi.\nPriya Nair: Bye.\n");
    const first = await minutes(["import", file, "--owner", OWNER], { DATA_DIR });
    expect([first.code, first.stdout]).toEqual([0, "1 imported, 0 already there, 0 failed\n"]);
    expect(first.stderr).toContain("call.txt: date taken from the file's time\n");
    expect(first.stderr).toContain("call.txt: doubtful speakers: Noor (1)\n");
    await utimes(file, new Date("2026-01-01T00:00:00Z"), new Date("2026-01-01T00:00:00Z"));
    expect(await minutesJson(["import", file, "--owner", OWNER], { DATA_DIR })).toMatchObject({
      ...{ created: 0, unchanged: 1, failed: [] },
      read: [{ reading: { startSource: "fileTime", startTime: "2026-01-01T00:00:00.000Z" } }],
    });
    const named = join(dirname(file), "2026-11-02 14-30 Insurance claim.txt");
    await copyFile(file, named);
    const renamed = await minutes(["import", named, "--owner", OWNER], { DATA_DIR });
    expect([renamed.stdout, renamed.code]).toEqual(["0 imported, 1 already there, 0 failed\n", 0]);
    expect(renamed.stderr).toMatch(
      /Insurance claim\.txt: already there as mtg_\w+, which started at \S+Z, not 2026-11-02T14:30:00\.000Z\./,
    );
    expect(await minutesJson(["import", named, "--owner", OWNER], { DATA_DIR })).toMatchObject({
      otherStarts: [
        {
          ...{ file: named, startTime: "2026-11-02T14:30:00.000Z" },
          existing: { meetingId: expect.stringMatching(/^mtg_/) },
        },
      ],
    });
    // The same day without a time doesn't count as a different start.
    const today = join(dirname(file), `${new Date().toISOString().slice(0, 10)} Claim.txt`);
    await copyFile(file, today);
    const sameDay = await minutesJson(["import", today, "--owner", OWNER], { DATA_DIR });
    expect(sameDay).toMatchObject({ unchanged: 1, read: [{ reading: { startPrecision: "day" } }] });
    expect(sameDay).not.toHaveProperty("otherStarts");
    const shown = await minutes(["import", today, "--owner", OWNER, "--dry-run"], { DATA_DIR });
    expect(shown.stdout).toMatch(/ {2}Claim, \d{4}-\d\d-\d\d \(from the file's name\)\n/);
    expect(shown.stdout).toContain("  only the day is known, not the time\n");
    const tagged = await minutes(["import", file, "--owner", OWNER, "--tag", "Tea"], { DATA_DIR });
    expect(tagged.stderr).toContain(
      "call.txt: Imported before, with other content or choices (such as tags). --replace takes the new content; tags stay as they are.\n",
    );
  });

  test("--dry-run shows what a file contains, and what --speaker, --not-speaker and --time-zone change", async () => {
    const file = join(await temporaryDir(), "call.txt");
    await writeFile(
      file,
      "Date: 2026-11-05 09:30\n\nPriya Nair: Hello.\nNoor: Hi.\nRemember: bye.\nPriya Nair: Bye.\n",
    );
    const settings = { DATA_DIR: join(dirname(file), "none") };
    const dry = await minutes(["import", file, "--owner", OWNER, "--dry-run"], settings);
    expect([dry.code, dry.stdout.split("\n")]).toEqual([
      0,
      [
        "1 valid, 0 failed",
        file,
        "  call, 2026-11-05T09:30:00.000Z (from the file)",
        "  Speakers and turns: Priya Nair (2), Noor (1)",
        "  > Priya Nair: Hello.",
        "  > Noor: Hi. Remember: bye.",
        "  > Priya Nair: Bye.",
        "  date read in the zone UTC",
        "  doubtful speakers: Noor (1)",
        "",
      ],
    ]);
    const options = ["--speaker", "Remember", "--not-speaker", "Noor", "--time-zone", "Europe/Berlin"];
    expect(
      await minutesJson(["import", file, "--owner", OWNER, "--dry-run", ...options], settings),
    ).toMatchObject({
      read: [
        {
          reading: {
            ...{ startTime: "2026-11-05T08:30:00.000Z", timeZone: "Europe/Berlin", doubts: [] },
            speakers: [
              { name: "Priya Nair", turns: 2 },
              { name: "Remember", turns: 1 },
            ],
          },
        },
      ],
    });
  });

  test("names files that are there already, that were deleted, and that have no meetings", async () => {
    const { DATA_DIR } = await openForTest();
    await minutesJson(["users", "create", OWNER], { DATA_DIR });
    const talk = "Priya Nair: Hello.\nNoor: Hi.\nPriya Nair: Bye.\n";
    const files = await writeMeetings({ "a.txt": talk, "b.txt": talk, "none.json": [] });
    const bulk = await minutes(["import", ...files, "--owner", OWNER], { DATA_DIR });
    expect([bulk.code, bulk.stdout]).toEqual([
      1,
      expect.stringContaining("1 imported, 1 already there, 1 failed"),
    ]);
    expect(bulk.stderr).toContain(`${files[1]}: already there\n${files[2]}: This file has no meetings.\n`);
    const { meetings } = await minutesJson<{ meetings: { id: string }[] }>(["meetings", "list", OWNER], {
      DATA_DIR,
    });
    await minutesJson(["meetings", "delete", meetings[0]?.id ?? "", "--yes"], { DATA_DIR });
    const again = ["import", files[0] ?? "", "--owner", OWNER];
    expect((await minutes(again, { DATA_DIR })).stderr).toContain(
      "a.txt: Imported before, and deleted since. --restore imports it again.\n",
    );
    expect(await minutesJson([...again, "--restore"], { DATA_DIR })).toMatchObject({ created: 1 });
  });

  test("--dry-run marks what is there already, refuses an owner without an account, and stores nothing", async () => {
    const { DATA_DIR } = await openForTest();
    await minutesJson(["users", "create", OWNER], { DATA_DIR });
    const [old = "", both = ""] = await writeMeetings({
      "old.json": meeting("old"),
      "both.jsonl": [meeting("old"), meeting("new"), meeting("lost", { ownerEmail: "nobody@example.com" })]
        .map((one) => JSON.stringify(one))
        .join("\n"),
    });
    await minutesJson(["import", old], { DATA_DIR });
    const dry = await minutes(["import", both, "--dry-run"], { DATA_DIR });
    expect([dry.code, dry.stdout]).toEqual([
      1,
      expect.stringMatching(/^1 valid, 1 already there, 1 failed\n\S+both\.jsonl:1: already there\n/),
    ]);
    expect(dry.stdout.match(/already there/g)).toHaveLength(2);
    expect(dry.stderr).toContain(`${both}:3: ownerEmail: No user has this e-mail address.\n`);
    const report = JSON.parse((await minutes(["import", both, "--dry-run", "--json"], { DATA_DIR })).stdout);
    expect(report).toMatchObject({ created: 0, valid: 1, unchanged: 1, read: [{ stored: true }, {}, {}] });
    const { meetings } = await minutesJson<{ meetings: object[] }>(["meetings", "list", OWNER], { DATA_DIR });
    expect(meetings).toHaveLength(1);
  });

  test("files of a folder in an unknown format are named, and the others imported", async () => {
    const text = "Priya Nair: Hello.\nNoor: Hi.\nPriya Nair: Bye.\n";
    const names = ["upper.TXT", "meeting.pdf", "talk.rtf", "talk.log", "readme.txt", ".hidden.pdf"];
    const [first = ""] = await writeMeetings(Object.fromEntries(names.map((name) => [name, text])));
    const dryRun = ["import", dirname(first), "--owner", OWNER, "--dry-run"];
    const settings = { DATA_DIR: join(dirname(first), "none") };
    const inWords = await minutes(dryRun, settings);
    expect(inWords).toMatchObject({ code: 0, stdout: expect.stringContaining("1 valid, 0 failed") });
    expect(inWords.stderr).toMatch(
      /^3 files skipped, unknown format: \S+meeting\.pdf, \S+talk\.log, \S+talk\.rtf$/m,
    );
    const report = JSON.parse((await minutes([...dryRun, "--json"], settings)).stdout);
    expect(report.skipped.map((file: string) => basename(file))).toEqual([
      "meeting.pdf",
      "talk.log",
      "talk.rtf",
    ]);
  });

  test("files of an archive in an unknown format are named like those of a folder", async () => {
    const [file = ""] = await writeMeetings({ "calls.zip": "" });
    const text = Buffer.from("Priya Nair: Hello.\nNoor: Hi.\nPriya Nair: Bye.\n");
    await writeFile(file, zipSync({ "call.txt": text, "old/meeting.pdf": text, "readme.pdf": text }));
    const settings = { DATA_DIR: join(dirname(file), "none") };
    const dryRun = await minutes(["import", file, "--owner", OWNER, "--dry-run"], settings);
    expect(dryRun).toMatchObject({ code: 0, stdout: expect.stringContaining("1 valid, 0 failed") });
    expect(dryRun.stderr).toMatch(/^1 file skipped, unknown format: \S+calls\.zip\/old\/meeting\.pdf$/m);
  });

  test("equal errors are one line with the first places and the number of others", async () => {
    const { DATA_DIR } = await openForTest();
    await minutesJson(["users", "create", OWNER], { DATA_DIR });
    const files = await writeMeetings({
      "many.json": Array.from({ length: 60 }, (_, at) => meeting(`m${at}`, { startTime: "yesterday" })),
    });
    const { code, stderr } = await minutes(["import", ...files], { DATA_DIR });
    expect(code).toBe(1);
    const [file = ""] = files;
    expect(stderr.match(/startTime/g)).toHaveLength(1);
    expect(stderr).toContain(
      `${file} [0], ${file} [1], ${file} [2] and 57 more (--json lists all): startTime must be an ISO 8601 date-time with a zone\n`,
    );
  });

  test("prints the fields that were not stored", async () => {
    const { DATA_DIR } = await openForTest();
    await minutesJson(["users", "create", OWNER], { DATA_DIR });
    const tagged = (externalId: string, color: string) =>
      meeting(externalId, { tags: [{ name: "Tea", color }] });
    const [file = ""] = await writeMeetings({
      "two.json": [tagged("one", "#112233"), tagged("two", "#445566")],
    });
    const { code, stderr } = await minutes(["import", file], { DATA_DIR });
    expect([code, stderr]).toEqual([0, expect.stringContaining("two.json [1]: not stored: tags.color\n")]);
  });

  test("--replace replaces existing meetings, --restore alone does not", async () => {
    const { DATA_DIR } = await openForTest();
    await minutesJson(["users", "create", OWNER], { DATA_DIR });
    const [first = "", changed = ""] = await writeMeetings({
      "first.json": meeting("one", { title: "Draft" }),
      "changed.json": [meeting("one", { title: "Final" }), meeting("two")],
    });
    await minutesJson(["import", first], { DATA_DIR });
    const replaced = await minutes(["import", changed, "--replace"], { DATA_DIR });
    expect([replaced.code, replaced.stdout]).toEqual([
      0,
      "1 imported, 1 replaced, 0 already there, 0 failed\n",
    ]);
    const out = join(await temporaryDir(), "export");
    await minutesJson(["export", "--user", OWNER, "--out", out], { DATA_DIR });
    const lines = await readFile(join(out, "export.jsonl"), "utf8");
    expect(lines).toContain('"Final"');
    expect(lines).not.toContain('"Draft"');
    const refused = await minutes(["import", join(out, "export.jsonl"), "--restore"], { DATA_DIR });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("omit --replace")]);
    expect((await minutes(["import", first, "--restore"], { DATA_DIR })).stderr).toContain(
      "A different meeting",
    );
  });
});
