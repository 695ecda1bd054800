import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createTestDatabase, engine } from "@minutes/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { minutesJson } from "../testing/installation.js";
import { addPeople } from "../testing/people.js";
import { emptyDataDir, launchMinutes, startProcess, temporaryDir } from "../testing/process.js";
import { findLost, startTraffic, type TrafficReport } from "../testing/traffic.js";

const KILLS = Number(process.env.KILLS ?? 20);
const MEETINGS = 300;

/** Returns the settings of an empty installation on the engine of this run. */
async function emptyInstallation() {
  if (engine !== "postgres") return { DATA_DIR: await emptyDataDir(), DEMO: "off" };
  const database = await createTestDatabase();
  onTestFinished(() => database.close());
  return { DATABASE_URL: database.url ?? "", SECRETS_KEY: Buffer.alloc(32).toString("base64") };
}

describe("kill -9", { timeout: 600_000 }, () => {
  test(`${KILLS} times during an import of files: the next one goes on, and each meeting is there once`, async () => {
    const settings = { ...(await emptyInstallation()), LOG_LEVEL: "silent" };
    const { email } = await addPeople(settings);
    const file = join(await temporaryDir(), "meetings.jsonl");
    const lines = Array.from({ length: MEETINGS }, (_, at) =>
      JSON.stringify({
        externalId: `meeting-${at}`,
        ownerEmail: email,
        title: `Meeting ${at}`,
        startTime: "2026-01-05T09:00:00Z",
        endTime: "2026-01-05T09:30:00Z",
        transcript: Array.from({ length: 40 }, (_, turn) => ({
          speakerId: "1",
          speakerName: "Ann",
          text: `Turn ${turn} of meeting ${at}.`,
        })),
      }),
    );
    await writeFile(file, lines.join("\n"));
    const importAll = () =>
      minutesJson<{ created: number; unchanged: number; failed: unknown[] }>(["import", file], settings);

    let cut = 0;
    let began = performance.now();
    for (let kill = 0; kill < KILLS; kill++) {
      const { child, ended } = launchMinutes(["import", file], settings);
      // Starting takes a second. Each round gets a little further, because existing parts take no time.
      await Promise.race([ended, sleep(700 + Math.random() * 1_500)]);
      child.kill("SIGKILL");
      if ((await ended).signal === "SIGKILL") cut++;
    }
    const { created, unchanged, failed } = await importAll();
    began = performance.now() - began;
    console.log(
      engine,
      JSON.stringify({ kills: KILLS, cut, created, unchanged, seconds: Math.round(began / 1_000) }),
    );
    expect([created + unchanged, failed]).toEqual([MEETINGS, []]);
    expect(await importAll()).toMatchObject({ created: 0, unchanged: MEETINGS, failed: [] });
    expect(cut).toBeGreaterThan(0);
  });

  test(`${KILLS} times while recorders import over HTTP: each start is whole, and nothing acknowledged is lost`, async () => {
    const settings = {
      ...(await emptyInstallation()),
      RATE_LIMIT_PER_MINUTE: "1000000",
      INGEST_LIMIT_PER_MINUTE: "1000000",
    };
    const people = await addPeople({ ...settings, LOG_LEVEL: "silent" });
    const reports: TrafficReport[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const server = await startProcess(settings);
      const clients = { readers: 2, updaters: 2, importers: 4 };
      const traffic = await startTraffic({ ...people, url: server.url }, clients);
      await sleep(200 + Math.random() * 800);
      await server.stop("SIGKILL");
      reports.push(await traffic.stop());
    }
    const server = await startProcess(settings);
    const statuses = new Set(reports.flatMap((report) => Object.keys(report.statuses)));
    let imported = 0;
    for (const report of reports) {
      imported += report.imported.length;
      expect(await findLost(server.url, people.key, report)).toEqual([]);
    }
    console.log(engine, JSON.stringify({ kills: KILLS, imported, statuses: [...statuses] }));
    expect([...statuses].filter((status) => status !== "200" && status !== "0")).toEqual([]);
    expect((await server.stop()).code).toBe(0);
  });
});
