import { cp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { connectEmbedded } from "@minutes/db";
import { needs, temporaryDir } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectOperator } from "../commands/operator/client.js";
import { parseConfig } from "../config/config.js";
import type { TestServer } from "../testing/index.js";
import { openInstallationOnDisk } from "../testing/installation.js";
import { serve } from "../testing/same-answers.js";
import { startMaintenance } from "./maintenance.js";

/** Words of one person, and of another one, that occur nowhere else. */
const CONTENT = ["zebrathorn", "vexillogram", "pumpkinfjord", "nebulagoat"];
const ERASED = ["Quixlordia", "quixlordia", ...CONTENT];
const KEPT = "marzipanowl";

// Each test needs the files without the words of the one before.
describe("the embedded database's files", { ...needs("embedded"), shuffle: false }, () => {
  let installation: Awaited<ReturnType<typeof openInstallationOnDisk>>;
  let server: TestServer;
  beforeAll(async () => {
    installation = await openInstallationOnDisk();
    server = await serve(installation.connection);
  });
  afterAll(async () => {
    await server.close();
    await installation.close();
  });

  /** Returns which words occur in which files of the data directory. */
  const findWords = async (words: readonly string[], directory = installation.dataDir) => {
    const entries = await readdir(directory, { withFileTypes: true, recursive: true });
    const found: string[] = [];
    for (const { parentPath, name } of entries.filter((entry) => entry.isFile())) {
      const bytes = await readFile(join(parentPath, name));
      for (const word of words) if (bytes.includes(word)) found.push(`${word} in ${join(parentPath, name)}`);
    }
    return found;
  };
  const sweep = async () => {
    const { operator, close } = connectOperator(parseConfig(installation.settings));
    const { swept } = await operator.persons.sweepFiles.mutate();
    await close();
    return swept;
  };
  const addMeetings = async (email: string) => {
    const company = await server.given.company();
    const anna = await server.given.member(company, { name: "Quixlordia Smith", email });
    const boris = await server.given.member(company);
    const said = (text: string) => [
      { speakerId: "a", speakerName: anna.name, speakerEmail: anna.email, text },
      { speakerId: "b", speakerName: "Boris", text: `${KEPT} is what Boris said. `.repeat(20) },
    ];
    const meeting = {
      title: "The zebrathorn plan",
      transcript: said("The vexillogram is late again."),
      summary: { markdown: "# pumpkinfjord", short: "About a pumpkinfjord" },
      tasks: [{ text: "Order a nebulagoat" }],
    };
    const own = [];
    for (let number = 0; number < 2; number++) own.push(await server.given.meeting(anna, meeting));
    for (let number = 0; number < 2; number++)
      await server.given.meeting(boris, { title: "Weekly", transcript: said("Nothing new.") });
    return { anna, boris, own };
  };

  test("have nothing of a person after people erase; others' data stays", async () => {
    const { anna } = await addMeetings("quixlordia@example.com");
    await installation.db.execute(sql`checkpoint`);
    expect(new Set((await findWords(ERASED)).map((line) => line.split(" ")[0]))).toEqual(new Set(ERASED));
    const report = await installation.json("people", "erase", anna.email, "--yes");
    expect(report).toMatchObject({ erased: true, left: [], filesSwept: true });
    expect(await findWords(ERASED)).toEqual([]);
    expect(await findWords([KEPT])).not.toEqual([]);
    const file = join(await temporaryDir(), "after.tar.gz");
    await installation.json("backup", file);
    const backup = gunzipSync(await readFile(file));
    expect([...ERASED, KEPT].filter((word) => backup.includes(word))).toEqual([KEPT]);
  });

  test("have nothing of deleted meetings after the next sweep", async () => {
    const { anna, own } = await addMeetings("second@example.com");
    for (const { meetingId } of own)
      expect((await server.call(anna.key, "me/meetings.delete", { meetingId })).status).toBe(200);
    expect(await sweep()).toBe(true);
    expect(await findWords(CONTENT)).toEqual([]);
    expect(await findWords(["Quixlordia"])).not.toEqual([]); // their account, and what they said in other users' meetings
  });

  test("have nothing of them after a crash between deletion and sweep", async () => {
    const { anna, own } = await addMeetings("third@example.com");
    for (const { meetingId } of own) await server.call(anna.key, "me/meetings.delete", { meetingId });
    // The files a killed process would leave.
    const crashed = await temporaryDir();
    await cp(join(installation.dataDir, "db"), join(crashed, "db"), { recursive: true });
    expect(await findWords(["vexillogram"], crashed)).not.toEqual([]);
    const { db, close } = await connectEmbedded({ dataDir: crashed, migrate: false });
    const maintenance = startMaintenance(db);
    expect(await maintenance.sweep()).toBe(true);
    await maintenance.stop();
    await close();
    expect(await findWords(CONTENT, crashed)).toEqual([]);
  });

  test("are swept by the server itself, soon after its start", async () => {
    const { anna, own } = await addMeetings("fourth@example.com");
    for (const { meetingId } of own) await server.call(anna.key, "me/meetings.delete", { meetingId });
    expect(await findWords(CONTENT)).not.toEqual([]);
    const maintenance = startMaintenance(installation.db, { interval: 100, firstSweep: 0 });
    await expect.poll(() => findWords(CONTENT), { interval: 500 }).toEqual([]);
    await maintenance.stop();
  });

  test("keep the log that a backup needs until it ends", async () => {
    const { operator, close } = connectOperator(parseConfig(installation.settings));
    const { id } = await operator.backups.begin.mutate();
    expect(await sweep()).toBe(false);
    await operator.backups.finish.mutate({ id });
    expect(await sweep()).toBe(false);
    await operator.backups.release.mutate({ id });
    expect(await sweep()).toBe(true);
    await close();
  });
});
