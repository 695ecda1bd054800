import { createKeyring, createTargetPolicy, generateSecretsKey, parseSecretsKey } from "@minutes/core";
import {
  completeMeeting,
  createPersonalWebhook,
  createTestCa,
  createTestDatabase,
  givenOn,
  needs,
  openInbox,
  startWebhookReceiver,
  waitFor,
} from "@minutes/testing";
import { sql } from "drizzle-orm";
import { expect, onTestFinished, test } from "vitest";
import { startProcess, startWorkerProcess } from "../testing/process.js";

/** Processes per role. */
const PROCESSES = 3;
const LIMIT = 100;
const CALLS = 600;
const EVENTS = 300;

test(
  `${PROCESSES} api and ${PROCESSES} worker processes: the quota is exact, each delivery arrives once, each key's mail is sent once`,
  needs("postgres"),
  async () => {
    const database = await createTestDatabase();
    onTestFinished(() => database.close());
    const ca = await createTestCa();
    const receiver = await startWebhookReceiver(await ca.issue());
    const inbox = await openInbox();
    onTestFinished(async () => {
      await Promise.all([receiver.close(), inbox.close(), ca.remove()]);
    });
    const given = givenOn(database.db);
    const secretsKey = generateSecretsKey();
    const allowed = ["127.0.0.1/32"];
    const keyring = createKeyring([parseSecretsKey(secretsKey) ?? new Uint8Array()]);
    const people = await Promise.all(Array.from({ length: 10 }, () => given.person()));
    for (const { userId } of people)
      await createPersonalWebhook(
        database.db,
        { keyring, targetPolicy: createTargetPolicy({ allowedNetworks: allowed }) },
        userId,
        { name: "x", url: receiver.url, method: "signature" },
      );
    // All keys are about to expire: each owner is notified once. The caller's is also used from its first network, which
    // for an old key is a message of its own.
    const reminders = () => inbox.mails.filter(({ text }) => text.includes("expires at"));
    await database.db.execute(
      sql`update api_keys set expires_at = now() + interval '2 days', created_at = now() - interval '9 days'`,
    );
    const settings = {
      DATABASE_URL: database.url ?? "",
      SECRETS_KEY: secretsKey,
      SMTP_URL: inbox.url,
      RATE_LIMIT_PER_MINUTE: String(LIMIT),
      WEBHOOK_ALLOWED_NETWORKS: allowed.join(","),
      WEBHOOK_CA_FILE: ca.caFile,
    };
    const start = <Started>(startOne: () => Promise<Started>) =>
      Promise.all(Array.from({ length: PROCESSES }, startOne));
    const workers = await start(() => startWorkerProcess(settings));
    const servers = await start(() => startProcess(settings, "--role", "api"));

    const [caller] = people;
    const call = async (number: number) => {
      const response = await fetch(`${servers[number % PROCESSES]?.url}/v1/me/tags.list`, {
        headers: { "x-api-key": caller?.key ?? "" },
      });
      await response.text();
      return { status: response.status, window: response.headers.get("x-ratelimit-reset") ?? "" };
    };
    const calling = Promise.all(Array.from({ length: CALLS }, (_, number) => call(number)));
    for (let event = 0; event < EVENTS; event++) {
      const owner = people[event % people.length];
      if (owner) await completeMeeting(database.db, owner);
    }
    const answers = await calling;
    for (const window of new Set(answers.map((answer) => answer.window))) {
      const inWindow = answers.filter((answer) => answer.window === window);
      const served = inWindow.filter(({ status }) => status === 200);
      expect(served.length).toBe(Math.min(LIMIT, inWindow.length));
    }

    await waitFor(async () => {
      const [open] = await database.db
        .select({ number: sql<number>`count(*)::int` })
        .from(sql`deliveries where state <> 'delivered'`);
      expect(open?.number).toBe(0);
    });
    const ids = receiver.received.map(({ id }) => id);
    expect([ids.length, new Set(ids).size]).toEqual([EVENTS, EVENTS]);
    await waitFor(() => expect(reminders().length).toBeGreaterThanOrEqual(people.length));
    await Promise.all([...workers, ...servers].map((one) => one.stop())); // which wait for their running work
    expect(
      reminders()
        .map(({ to }) => to[0])
        .toSorted(),
    ).toEqual(people.map(({ email }) => email).toSorted());
  },
);
