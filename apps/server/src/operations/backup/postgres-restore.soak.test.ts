import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createTestCa, needs, startWebhookReceiver } from "@minutes/testing";
import postgres from "postgres";
import { describe, expect, onTestFinished, test } from "vitest";
import { minutesJson, runHere } from "../../testing/installation.js";
import { type OwnPostgres, startOwnPostgres } from "../../testing/own-postgres.js";
import { addPeople } from "../../testing/people.js";
import { type Settings, startProcess, temporaryDir } from "../../testing/process.js";

const SECRETS_KEY = Buffer.alloc(32, 7).toString("base64");

/** Reads a person's whole feed. @returns the last answer's status and cursor */
async function readFeed(url: string, key: string, from: string | null) {
  let cursor = from;
  const ids = new Set<string>();
  for (;;) {
    const input = encodeURIComponent(JSON.stringify({ json: cursor === null ? {} : { cursor } }));
    const response = await fetch(`${url}/sync/v1/me/changes.list?input=${input}`, {
      headers: { "x-api-key": key },
    });
    if (response.status !== 200) return { status: response.status, ids, cursor };
    const { result } = (await response.json()) as {
      result: { data: { json: { changes: { id: string }[]; nextCursor: string; hasMore: boolean } } };
    };
    const page = result.data.json;
    for (const { id } of page.changes) ids.add(id);
    cursor = page.nextCursor;
    if (!page.hasMore) return { status: 200, ids, cursor };
  }
}

/**
 * Fills an installation, calls `back` after the first meeting, adds a second one, and checks what `restore` brings
 * back: deliveries already sent are not repeated, and cursors and keys from after the backup are refused.
 */
async function drill(
  source: OwnPostgres,
  backUp: () => Promise<void>,
  restore: () => Promise<string>,
  earlierCursor: 200 | 410,
): Promise<void> {
  const ca = await createTestCa();
  onTestFinished(() => ca.remove());
  const receiver = await startWebhookReceiver(await ca.issue());
  onTestFinished(() => receiver.close());
  const { received } = receiver;
  const settings: Settings = {
    DATABASE_URL: source.url,
    SECRETS_KEY,
    WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8",
    WEBHOOK_CA_FILE: ca.caFile,
  };
  const { email, key, ingestKey } = await addPeople({ ...settings, LOG_LEVEL: "silent" });
  const server = await startProcess(settings);
  await minutesJson(["webhooks", "create", email, receiver.url], settings);
  const importOne = async (externalId: string) => {
    const json = {
      externalId,
      ownerEmail: email,
      title: externalId,
      startTime: "2026-01-05T09:00:00Z",
      endTime: "2026-01-05T09:30:00Z",
    };
    const answer = await fetch(`${server.url}/ingest/v1/meetings.import`, {
      method: "POST",
      headers: { "x-api-key": ingestKey, "content-type": "application/json" },
      body: JSON.stringify({ json }),
    });
    expect(answer.status).toBe(200);
  };
  await importOne("before");
  await expect.poll(() => received.length).toBe(1);
  const before = await readFeed(server.url, key, null);
  await backUp();
  await importOne("after");
  await expect.poll(() => received.length).toBe(2);
  const after = await readFeed(server.url, key, before.cursor);
  expect(after.ids.size).toBeGreaterThan(0);
  const { key: laterKey } = await minutesJson<{ key: string }>(["keys", "create", email], settings);
  await server.stop();

  const restored = { ...settings, DATABASE_URL: await restore() };
  const again = await startProcess(restored);
  // A dump is restored into another database, where all cursors are refused.
  expect((await readFeed(again.url, key, before.cursor)).status).toBe(earlierCursor);
  expect((await readFeed(again.url, key, after.cursor)).status).toBe(410);
  expect((await readFeed(again.url, key, null)).ids.size).toBe(before.ids.size);
  expect((await readFeed(again.url, laterKey, null)).status).toBe(401);
  await sleep(3_000); // a due delivery would have been sent by now
  expect(received).toHaveLength(2);
  await again.stop();
  const wrongKey = { ...restored, SECRETS_KEY: Buffer.alloc(32, 8).toString("base64") };
  const { code, stdout } = await runHere(["doctor"], wrongKey);
  expect([code, stdout]).toEqual([1, expect.stringMatching(/fail .*SECRETS_KEY/)]);
}

const query = async (url: string, text: string) => {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  return sql.unsafe(text).finally(() => sql.end());
};

describe("a restore of PostgreSQL", { ...needs("postgres"), timeout: 300_000 }, () => {
  test("from pg_dump: sent deliveries are not repeated; later cursors and keys are refused", async () => {
    const source = await startOwnPostgres();
    const dumps = join(source.directory, "dumps");
    await mkdir(dumps);
    await chmod(dumps, 0o777);
    const file = join(dumps, "minutes.dump");
    await drill(
      source,
      async () => void (await source.exec("pg_dump", "--format=custom", `--file=${file}`, source.url)),
      async () => {
        await query(source.url, "create database restored");
        const url = Object.assign(new URL(source.url), { pathname: "/restored" }).href;
        await source.exec("pg_restore", "--no-owner", `--dbname=${url}`, file);
        return url;
      },
      410,
    );
  });

  test("to a point in time, from a base backup and the log", async () => {
    const archive = join(await temporaryDir(), "archive");
    await mkdir(archive);
    for (const directory of [archive, join(archive, "..")]) await chmod(directory, 0o777);
    const flags = `-c wal_level=replica -c archive_mode=on -c archive_command='cp %p ${archive}/%f'`;
    const source = await startOwnPostgres({ flags });
    const base = join(archive, "base");
    await source.exec(
      "pg_basebackup",
      `--dbname=${source.url}`,
      `--pgdata=${base}`,
      "--wal-method=none",
      "--checkpoint=fast",
    );
    let target = "";
    await drill(
      source,
      async () => {
        await sleep(1_100);
        target = String((await query(source.url, "select now()::text as time"))[0]?.time);
        await sleep(1_100);
      },
      async () => {
        await query(source.url, "select pg_switch_wal()");
        await source.stop("fast"); // archives the rest of the log
        await writeFile(join(base, "recovery.signal"), "");
        const recovery = `-c restore_command='cp ${archive}/%f %p' -c recovery_target_time='${target}' -c recovery_target_action=promote -c hot_standby=off`;
        return (await startOwnPostgres({ data: base, flags: recovery })).url;
      },
      200,
    );
  });
});
