import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { needs } from "@minutes/testing";
import { describe, expect, test } from "vitest";
import { minutesJson } from "../../testing/installation.js";
import { meeting, OWNER } from "../../testing/meeting-files.js";
import { addPeople } from "../../testing/people.js";
import { emptyDataDir, launchMinutes, startProcess, temporaryDir } from "../../testing/process.js";
import { findLost, startTraffic, type TrafficReport } from "../../testing/traffic.js";
import { listBackups, nameBackup } from "./folder.js";

/** Meetings of the large backup. */
const MEETINGS = Number(process.env.MEETINGS ?? 2_000);
const BACKUPS = Number(process.env.BACKUPS ?? 20);

describe("backups under load", { ...needs("embedded"), timeout: 3_600_000 }, () => {
  test(`${BACKUPS} of them, every other one cut by kill -9 of the command or the server: each finished one has what was acknowledged before it began`, async () => {
    const DATA_DIR = await emptyDataDir();
    const limits = { RATE_LIMIT_PER_MINUTE: "1000000", INGEST_LIMIT_PER_MINUTE: "1000000" };
    const settings = { DATA_DIR, DEMO: "off", ...limits };
    const people = await addPeople(settings);
    const folder = await temporaryDir();
    const before = new Map<string, TrafficReport[]>();
    const reports: TrafficReport[] = [];
    let longest = 0;
    let server = await startProcess(settings);
    for (let nth = 0; nth < BACKUPS; nth++) {
      const file = nameBackup(folder, new Date(Date.UTC(2026, 0, 1, 0, nth)), false);
      before.set(file, [...reports]);
      const traffic = await startTraffic(
        { ...people, url: server.url },
        { readers: 1, updaters: 2, importers: 2 },
      );
      const command = launchMinutes(["backup", file, "--json"], settings);
      const victim = [null, command.child, null, server.child][nth % 4];
      if (victim) {
        await Promise.race([command.ended, sleep(400 + Math.random() * 1_600)]);
        victim.kill("SIGKILL");
      }
      const { code } = await command.ended;
      if (!victim) expect(code).toBe(0);
      const report = await traffic.stop();
      reports.push(report);
      longest = Math.max(longest, report.longest);
      if (victim === server.child) {
        await server.ended;
        server = await startProcess(settings);
      }
    }
    expect(
      await findLost(server.url, people.key, {
        imported: reports.flatMap((r) => r.imported),
        updated: new Map(),
      }),
    ).toEqual([]);
    await server.stop();

    const finished = await listBackups(folder);
    for (const { file } of finished) {
      const restoredDir = join(await temporaryDir(), "data");
      const restored = { ...settings, DATA_DIR: restoredDir };
      await minutesJson(["restore", file], restored);
      const copy = await startProcess(restored);
      for (const report of before.get(file) ?? [])
        expect(await findLost(copy.url, people.key, report)).toEqual([]);
      await copy.stop();
    }
    console.log(
      JSON.stringify({ backups: BACKUPS, finished: finished.length, longestCallMs: Math.round(longest) }),
    );
    expect(finished.length).toBeGreaterThanOrEqual(BACKUPS / 2);
  });

  test(`${MEETINGS} meetings are backed up from a running server, verified and restored word for word`, async () => {
    const DATA_DIR = await emptyDataDir();
    const settings = { DATA_DIR, DEMO: "off" };
    await minutesJson(["users", "create", OWNER], settings);
    const folder = await temporaryDir();
    const words = (nth: number, turn: number) =>
      `w${nth}x${turn} we agreed on item ${turn % 17} of the plan. `;
    const meetings = Array.from({ length: MEETINGS }, (_, nth) => ({
      ...meeting(`m${nth}`),
      transcript: Array.from({ length: 200 }, (_, turn) => ({
        ...{
          speakerId: `s${turn % 3}`,
          speakerName: `Speaker ${turn % 3}`,
          start: turn * 5,
          end: turn * 5 + 4,
        },
        text: words(nth, turn).repeat(4),
      })),
    }));
    const file = join(folder, "meetings.jsonl");
    await writeFile(file, meetings.map((line) => JSON.stringify(line)).join("\n"));
    expect(await minutesJson(["import", file], settings)).toMatchObject({ created: MEETINGS });

    const server = await startProcess(settings);
    const backup = join(folder, "backup");
    const [began, usage] = [performance.now(), process.memoryUsage().rss];
    await minutesJson(["backup", backup], settings);
    await server.stop();
    const seconds = (performance.now() - began) / 1_000;
    await minutesJson(["backup", "verify", backup], settings);
    const restored = { ...settings, DATA_DIR: join(folder, "restored") };
    await minutesJson(["restore", backup], restored);
    const exports: string[] = [];
    for (const installation of [settings, restored]) {
      const out = await temporaryDir();
      await minutesJson(["export", "--user", OWNER, "--out", out], installation);
      exports.push(await readFile(join(out, "export.jsonl"), "utf8"));
    }
    expect(exports[1] === exports[0]).toBe(true);
    const grown = Math.round((process.memoryUsage().rss - usage) / 2 ** 20);
    console.log(JSON.stringify({ meetings: MEETINGS, seconds: Math.round(seconds), grownMB: grown }));
  });
});
