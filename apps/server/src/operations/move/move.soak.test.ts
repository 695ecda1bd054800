import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Connection, connectEmbedded, connectPostgres } from "@minutes/db";
import { createTestDatabase, needs, temporaryDir } from "@minutes/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { parseConfig } from "../../config/config.js";
import { createWebhookSettings } from "../../config/webhook-settings.js";
import { fillEveryTable } from "../../testing/every-table.js";
import { emptyDataDir, launchMinutes } from "../../testing/process.js";
import { type AskedCall, askAtRandom, findDifferences, serve } from "../../testing/same-answers.js";

const KILLS = Number(process.env.KILLS ?? 10);
const CALLS = Number(process.env.CALLS ?? 500);
/** Meetings to move in addition to those that fill every table. */
const MEETINGS = Number(process.env.MEETINGS ?? 300);
/** Maximum time after a move's start at which it is killed, in ms. */
const LATEST_KILL = 4_000 + 5 * MEETINGS;

/** Kills moves at random times, then lets one complete. @returns the number of killed moves */
async function moveWithKills(settings: Record<string, string>, to: string): Promise<number> {
  for (let kills = 0; ; ) {
    const move = launchMinutes(["move", "--to", to, "--json"], settings);
    if (kills < KILLS) {
      await Promise.race([sleep(Math.random() * LATEST_KILL), move.ended]);
      move.child.kill("SIGKILL");
    }
    const { signal, code, stdout } = await move.ended;
    if (signal === "SIGKILL") {
      kills++;
      continue;
    }
    const { tables = [], error } = JSON.parse(stdout) as { tables?: { equal: boolean }[]; error?: string };
    // The last one was killed after it had completed.
    if (kills > 0 && error?.startsWith("This installation was moved to")) return kills;
    expect(error).toBeUndefined();
    expect({ code, different: tables.filter(({ equal }) => !equal) }).toEqual({ code: 0, different: [] });
    return kills;
  }
}

async function requireSameAnswers(connection: Connection, asked: readonly AskedCall[]): Promise<void> {
  const server = await serve(connection);
  expect(await findDifferences(server, asked)).toEqual([]);
  await server.close();
  await connection.close();
}

describe("minutes move", { ...needs("postgres"), timeout: 7_200_000 }, () => {
  test(`killed up to ${KILLS} times in each direction, it completes, and ${CALLS} calls are answered as before`, async () => {
    const dataDir = await emptyDataDir();
    const source = await connectEmbedded({ dataDir });
    const env = parseConfig({ DATA_DIR: dataDir, WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8" });
    const filled = await fillEveryTable(source.db, await createWebhookSettings(env, dataDir));
    const server = await serve(source);
    for (let number = 0; number < MEETINGS; number++) await server.given.richMeeting(filled.anna);
    const asked = await askAtRandom(server, filled, { calls: CALLS });
    await server.close();
    await source.close();

    const database = await createTestDatabase();
    await database.connection.close();
    onTestFinished(() => database.close());
    const url = database.url ?? "";
    const killed = await moveWithKills({ DATA_DIR: dataDir }, url);
    await requireSameAnswers(await connectPostgres({ url }), asked);

    const SECRETS_KEY = (await readFile(join(dataDir, "secrets.key"), "utf8")).trim();
    const back = join(await temporaryDir(), "back");
    const killedBack = await moveWithKills({ DATABASE_URL: url, SECRETS_KEY }, back);
    await requireSameAnswers(await connectEmbedded({ dataDir: back }), asked);
    console.log({ meetings: MEETINGS, killed, killedBack, calls: asked.length });
  });
});
