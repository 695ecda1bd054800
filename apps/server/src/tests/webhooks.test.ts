import { generateSecretsKey, joinWorkspace, OPERATOR } from "@minutes/core";
import type { Database } from "@minutes/db";
import {
  createTestCa,
  createTestDatabase,
  filledDataDir,
  givenOn,
  needs,
  onPostgres,
  openInbox,
  startWebhookReceiver,
} from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parseConfig } from "../config/config.js";
import { runHere as minutes, minutesJson } from "../testing/installation.js";
import {
  minutes as minutesProcess,
  type Settings,
  startProcess,
  startWorkerProcess,
} from "../testing/process.js";
import { crashWorkers } from "../testing/webhook-kills.js";

let ca: Awaited<ReturnType<typeof createTestCa>>;
beforeAll(async () => {
  ca = await createTestCa();
});
afterAll(() => ca.remove());

/** Returns the settings of a separate installation, with an admin in a company. */
async function installation(): Promise<Settings> {
  const common = {
    DEMO: "off",
    WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1/32",
    WEBHOOK_CA_FILE: ca.caFile,
    WEBHOOK_RETRY_DELAYS: "0.1,0.1,0.1,0.1",
  };
  let place: Settings = {};
  if (onPostgres) {
    const database = await createTestDatabase();
    onTestFinished(() => database.close());
    await addAdmin(database);
    place = { DATABASE_URL: database.url ?? "", SECRETS_KEY: generateSecretsKey() };
  } else place = { DATA_DIR: await filledDataDir("company", addAdmin) };
  return { ...common, ...place };
}

/** Creates a company and its admin. */
async function addAdmin({ db }: { db: Database }): Promise<void> {
  const given = givenOn(db);
  const { userId } = await given.person({ email: "a@example.com" });
  await joinWorkspace(db, OPERATOR, userId, (await given.company()).workspaceId, "admin");
}

async function receiver(answer?: Parameters<typeof startWebhookReceiver>[1]) {
  const started = await startWebhookReceiver(await ca.issue(), answer);
  onTestFinished(() => started.close());
  return started;
}

interface Made {
  readonly id: string;
  readonly secret: string;
}

describe("pnpm minutes webhooks", () => {
  test("creates, lists, shows, edits, tests, sends again, disables, enables and deletes", async () => {
    const settings = await installation();
    let status = 200;
    const { url, received } = await receiver(() => status);
    const server = await startProcess(settings);
    const json = <Result>(...args: string[]) => minutesJson<Result>(["webhooks", ...args], settings);

    const made = await json<Made>(
      "create",
      "a@example.com",
      url,
      "--method",
      "api-key",
      "--header",
      "X-Our-Key",
    );
    expect(made).toMatchObject({ kind: "personal", url, method: "api-key", headerName: "x-our-key" });
    const company = await json<Made>("create", "a@example.com", url, "--workspace", "--name", "All");
    expect(await json("list", "a@example.com")).toMatchObject([
      { id: made.id },
      { id: company.id, name: "All" },
    ]);
    const shown = await minutes(["webhooks", "show", made.id], settings);
    expect(shown.stdout).toContain("api-key in x-our-key");

    expect(await json("test", made.id)).toMatchObject({
      state: "delivered",
      attempts: [{ status: 200, error: null }],
    });
    expect(received[0]?.headers["x-our-key"]).toBe(made.secret);
    const fresh = await json<Made>("regenerate", made.id);
    expect(fresh.secret).not.toBe(made.secret);

    status = 500;
    const { id: deliveryId } = await json<{ id: string }>("test", made.id, "--no-wait");
    const state = async () => (await json<{ state: string }>("delivery", deliveryId)).state;
    await expect.poll(state).toBe("failed");
    status = 200;
    const failed = await json<{ deliveries: { id: string }[] }>("deliveries", made.id, "--state", "failed");
    expect(failed.deliveries.map(({ id }) => id)).toEqual([deliveryId]);
    expect(await json("redeliver", deliveryId)).toEqual({ redelivered: 1 });
    await expect.poll(state).toBe("delivered");
    expect(received.at(-1)?.headers["x-our-key"]).toBe(fresh.secret);
    const range = ["--webhook", made.id, "--from", "2020-01-01T00:00:00Z"];
    expect(await json("redeliver", ...range)).toEqual({ redelivered: 0 });

    await json("disable", made.id);
    expect((await minutes(["webhooks", "test", made.id], settings)).stderr).toMatch(
      /^Data: .+\nThis webhook is disabled\. Enable it first\.\n$/,
    );
    await json("enable", made.id);
    expect(await json("edit", made.id, "--name", "Renamed")).toMatchObject({ name: "Renamed", url });
    expect((await minutes(["webhooks", "delete", made.id], settings)).code).toBe(2);
    await json("delete", made.id, "--yes");
    expect(await json("list", "a@example.com")).toHaveLength(1);

    const { stdout, stderr } = await server.stop();
    for (const secret of [made.secret, company.secret, fresh.secret])
      expect(stdout + stderr).not.toContain(secret);
  });

  test("exit code 1: the address is private; exit code 2: an argument is missing", async () => {
    const settings = await installation();
    const inside = await minutes(["webhooks", "create", "a@example.com", "https://10.0.0.1/"], settings);
    expect(inside.code).toBe(1);
    expect(inside.stderr).toMatch(
      /^Data: .+\nurl must not resolve to a private, local or reserved address\.\n$/,
    );
    const bad = await minutes(
      [
        "webhooks",
        "create",
        "a@example.com",
        "https://127.0.0.1/",
        "--header",
        "host",
        "--method",
        "api-key",
      ],
      settings,
    );
    expect(bad.stderr).toContain("headerName must be a header name");
    for (const half of [
      [],
      ["--webhook", "x"],
      ["1", "--webhook", "x"],
      ["1", "--from", "y"],
      ["1", "--webhook", "x", "--from", "y"],
    ])
      expect((await minutes(["webhooks", "redeliver", ...half], settings)).code, half.join(" ")).toBe(2);
  });
});

test("exit code 1: the attempt of `webhooks test` failed, and is shown", {
  timeout: 120_000,
}, async () => {
  const settings = { ...(await installation()), WEBHOOK_RETRY_DELAYS: "600,600,600,600" };
  let status = 500;
  const { url } = await receiver(() => status);
  const server = await startProcess(settings);
  const { id } = await minutesJson<Made>(["webhooks", "create", "a@example.com", url], settings);
  const send = () => minutes(["webhooks", "test", id, "--json"], settings);
  const refused = await send();
  expect([refused.code, JSON.parse(refused.stdout).attempts]).toMatchObject([1, [{ status: 500 }]]);
  const text = await minutes(["webhooks", "test", id], settings);
  expect([text.code, text.stdout]).toEqual([1, expect.stringMatching(/pending[\s\S]* 500 +status/)]);
  status = 200;
  const taken = await send();
  expect([taken.code, JSON.parse(taken.stdout).attempts]).toMatchObject([0, [{ status: 200 }]]);
  await server.stop();
});

test("with another SECRETS_KEY the start says so, and deliveries wait until the key is back", async () => {
  const settings = await installation();
  const right = { ...settings, SECRETS_KEY: generateSecretsKey() };
  const wrong = { ...settings, SECRETS_KEY: generateSecretsKey() };
  const { url, received } = await receiver();
  let server = await startProcess(right);
  const { id } = await minutesJson<Made>(["webhooks", "create", "a@example.com", url], right);
  expect((await server.stop()).stdout).not.toContain("webhook deliveries wait");

  server = await startProcess(wrong);
  const line = '"webhooks":1,"msg":"webhook deliveries wait';
  await expect.poll(() => server.output.stdout).toContain(line);
  const sent = await minutes(["webhooks", "test", id, "--json"], wrong);
  expect(JSON.parse(sent.stdout)).toMatchObject({ state: "pending", attempts: [] });
  await server.stop();
  expect(received).toEqual([]);

  server = await startProcess(right);
  await expect.poll(() => received).toHaveLength(1);
  await server.stop();
});

describe("the settings API", () => {
  test("200: a webhook is created with SECRETS_KEY and WEBHOOK_ALLOWED_NETWORKS of the installation", async () => {
    const settings = await installation();
    const { url } = await receiver();
    const server = await startProcess(settings);
    const { token } = await minutesJson<{ token: string }>(["login", "a@example.com"], settings);
    const create = async (where: string) => {
      const answer = await fetch(`${server.url}/settings/v1/webhooks.create`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ json: { kind: "workspace", name: "All", url: where } }),
      });
      return [answer.status, await answer.text()] as const;
    };
    const [status, text] = await create(url);
    expect(status).toBe(200);
    const { id } = JSON.parse(text).result.data.json as Made;
    expect(await minutesJson(["webhooks", "test", id], settings)).toMatchObject({ state: "delivered" });
    expect((await create("https://10.0.0.1/"))[0]).toBe(400);
    const { stdout, stderr } = await server.stop();
    expect(stdout + stderr).not.toMatch(/ss_/);
  });
});

describe("WEBHOOK_CA_FILE", () => {
  test("a private certificate authority is trusted; without the setting its certificates are refused; a missing file stops the start", async () => {
    const settings = await installation();
    const { url, received } = await receiver();
    const { id } = await minutesJson<Made>(["webhooks", "create", "a@example.com", url], settings);
    const { WEBHOOK_CA_FILE, ...others } = settings;
    const without = { ...others, WEBHOOK_RETRY_DELAYS: "600,600,600,600" };
    const missing = await minutesProcess(["start"], {
      ...without,
      PORT: "0",
      WEBHOOK_CA_FILE: "/no/such/file",
    });
    expect([missing.code, missing.stderr]).toEqual([2, "WEBHOOK_CA_FILE can't be read.\n"]);
    for (const [env, error] of [
      [without, "tls"],
      [{ ...without, WEBHOOK_CA_FILE: WEBHOOK_CA_FILE ?? "" }, null],
    ] as const) {
      const server = await startProcess(env);
      const sent = await minutes(["webhooks", "test", id, "--json"], env);
      expect(JSON.parse(sent.stdout).attempts[0]?.error).toBe(error);
      await server.stop();
    }
    expect(received).toHaveLength(1);
  });
});

describe("stopping", () => {
  test("SIGTERM: deliveries under way are finished, and the others are left to other workers", async () => {
    const settings = await installation();
    const { url, received } = await receiver((_got, _request, response) => {
      setTimeout(() => response.writeHead(200).end(), 1_500);
      return undefined;
    });
    const server = await startProcess(settings);
    const { id } = await minutesJson<Made>(["webhooks", "create", "a@example.com", url], settings);
    const { id: deliveryId } = await minutesJson<{ id: string }>(
      ["webhooks", "test", id, "--no-wait"],
      settings,
    );
    await expect.poll(() => received.length).toBe(1);
    const ended = await server.stop();
    expect(ended.code).toBe(0);
    expect(await minutesJson(["webhooks", "delivery", deliveryId], settings)).toMatchObject({
      state: "delivered",
      attempts: [{ number: 1 }],
    });
    expect(received).toHaveLength(1);
  });
});

describe("roles", needs("postgres"), () => {
  test("an api process sends nothing; a worker sends what it enqueued", async () => {
    const settings = await installation();
    const { url, received } = await receiver();
    const { id } = await minutesJson<Made>(["webhooks", "create", "a@example.com", url], settings);
    await minutesJson(["webhooks", "test", id, "--no-wait"], settings);
    const worker = await startWorkerProcess(settings);
    await expect.poll(() => received.length).toBe(1);
    expect((await worker.stop()).code).toBe(0);
  });

  test("a worker keeps the log for WEBHOOK_LOG_DAYS, by default 30, and mails about expiring keys", async () => {
    expect(parseConfig({}).WEBHOOK_LOG_DAYS).toBe(30);
    const database = await createTestDatabase();
    onTestFinished(() => database.close());
    const settings = { DATABASE_URL: database.url ?? "", SECRETS_KEY: generateSecretsKey() };
    const left = async () =>
      (await database.connection.db.select({ id: sql<string>`id` }).from(sql`deliveries`)).length;
    await database.db.execute(
      sql`insert into users (id, email, name) values ('usr_x', 'x@example.com', 'X')`,
    );
    await database.db.execute(sql`insert into webhooks (id, kind, user_id, name, url, method, deleted_at)
      values ('whk_x', 'personal', 'usr_x', 'X', 'https://x.example/', 'signature', now())`);
    await database.db.execute(sql`insert into deliveries (id, webhook_id, state, created_at)
      values (1, 'whk_x', 'failed', now() - interval '3 days')`);
    const first = await startWorkerProcess(settings);
    await first.stop(); // which waits for its housekeeping
    expect(await left()).toBe(1);
    const inbox = await openInbox();
    onTestFinished(() => inbox.close());
    const { keyId, email } = await givenOn(database.db).person();
    await database.db.execute(
      sql`update api_keys set expires_at = now() + interval '2 days', created_at = now() - interval '9 days' where id = ${keyId}`,
    );
    const second = await startWorkerProcess({ ...settings, WEBHOOK_LOG_DAYS: "2", SMTP_URL: inbox.url });
    await expect.poll(() => inbox.mails.map(({ to }) => to)).toEqual([[email]]);
    await second.stop();
    expect(await left()).toBe(0);
  });

  test("a worker without SECRETS_KEY exits with a message that names the setting", async () => {
    const { SECRETS_KEY: _, ...settings } = await installation();
    const { code, stderr } = await minutesProcess(["start", "--role", "worker"], settings);
    expect([code, stderr]).toEqual([2, "SECRETS_KEY must be set for a worker.\n"]);
  });

  test("nothing is lost when workers are killed: 300 events, 6 kills", async () => {
    const database = await createTestDatabase();
    onTestFinished(() => database.close());
    const report = await crashWorkers(database, { events: 300, kills: 6, failing: 5 });
    expect(report).toMatchObject({ lost: 0, wrongLogs: 0, states: { delivered: 300 } });
    expect(report.attemptsOfDeadWebhook).toEqual({ 5: report.states.failed });
    expect(report.receipts - report.recorded).toBeLessThanOrEqual(report.kills * report.concurrency);
  });
});

test("exit code 2: --role on the embedded database", needs("embedded"), async () => {
  const { code, stderr } = await minutesProcess(["start", "--role", "worker"], {});
  expect([code, stderr]).toEqual([
    2,
    "--role requires PostgreSQL: only one process can use the embedded database.\n",
  ]);
});
