import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { needs } from "@minutes/testing";
import { describe, expect, test } from "vitest";
import { runHere as minutes, minutesJson } from "../testing/installation.js";
import { meeting, OWNER, openForTest, writeMeetings } from "../testing/meeting-files.js";
import { temporaryDir } from "../testing/process.js";

describe("shares", needs("embedded"), () => {
  test("tags list and shares list show who can read meetings, with the IDs that shares needs", async () => {
    const { DATA_DIR } = await openForTest();
    const reader = "ben@example.com";
    await minutesJson(["workspaces", "create", "Acme", "--plan", "team"], { DATA_DIR });
    for (const email of [OWNER, reader])
      await minutesJson(["users", "create", email, "--workspace", "Acme"], { DATA_DIR });
    const files = await writeMeetings({
      "several.json": [
        meeting("one", { tags: [{ name: "Beer" }, { name: "Tea" }] }),
        meeting("two", { tags: [{ name: "Beer" }] }),
      ],
    });
    await minutesJson(["import", ...files], { DATA_DIR });
    const out = join(await temporaryDir(), "backup");
    await minutesJson(["export", "--user", OWNER, "--out", out], { DATA_DIR });
    const [meetingId = ""] = (await readFile(join(out, "export.jsonl"), "utf8")).match(/mtg_\w+/) ?? [];

    const tags = () => minutesJson<{ id: string }[]>(["tags", "list", OWNER], { DATA_DIR });
    const [beer, tea] = await tags();
    expect([beer, tea]).toMatchObject([
      { name: "Beer", meetings: 2, sharedWith: [] },
      { name: "Tea", meetings: 1, sharedWith: [] },
    ]);
    await minutesJson(["shares", "create", beer?.id ?? "", reader], { DATA_DIR });
    await minutesJson(["shares", "create", meetingId, reader], { DATA_DIR });
    expect(await tags()).toMatchObject([{ sharedWith: [{ email: reader }] }, { sharedWith: [] }]);
    expect(await minutesJson(["shares", "list", meetingId], { DATA_DIR })).toMatchObject([
      { id: meetingId, with: reader },
    ]);
    const shown = await minutes(["tags", "list", OWNER], { DATA_DIR });
    expect(shown.stdout).toMatch(/^tag_\w+ +Beer +2 +ben@example\.com$/m);
    expect(shown.stdout).toMatch(/^tag_\w+ +Tea +1 +-$/m);
    expect((await minutes(["shares", "list", meetingId], { DATA_DIR })).stdout).toContain(reader);
    const unknown = await minutes(["shares", "list", "mtg_none"], { DATA_DIR });
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      `Data: ${DATA_DIR}\nMeeting not found: mtg_none. "minutes meetings list <user>" lists them.\n`,
    ]);
  });
});
