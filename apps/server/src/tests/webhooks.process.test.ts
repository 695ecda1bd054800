import { fileURLToPath } from "node:url";
import { generateSecretsKey } from "@minutes/core";
import { schema } from "@minutes/db";
import { createTestCa, type TestCa } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deliverHere, minutesJson } from "../testing/installation.js";
import { minutes, startProcess } from "../testing/process.js";
import { createWebhookPlaces, type Made } from "../testing/webhook-installation.js";

let ca: TestCa;
beforeAll(async () => {
  ca = await createTestCa();
});
afterAll(() => ca.remove());
const { installation, receiver } = createWebhookPlaces(() => ca);

test("200: a webhook is created with the installation's key, networks and authority; SIGTERM: its delivery under way is finished", async () => {
  const settings = await installation();
  let delay = 0;
  const { url, received } = await receiver((_got, _request, response) => {
    setTimeout(() => response.writeHead(200).end(), delay);
    return undefined;
  });
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

  delay = 1_500;
  const sent = await minutesJson<Made>(["webhooks", "test", id, "--no-wait"], settings);
  await expect.poll(() => received.length).toBe(2);
  const { code, stdout, stderr } = await server.stop();
  expect(code, stdout).toBe(0);
  expect(stdout + stderr).not.toMatch(/ss_/);
  expect(await minutesJson(["webhooks", "delivery", sent.id], settings)).toMatchObject({
    state: "delivered",
    attempts: [{ number: 1 }],
  });
  expect(received).toHaveLength(2);
});

test("with another SECRETS_KEY the start says so, and deliveries wait until the key is back", async () => {
  const { WEBHOOK_CA_FILE: _, ...settings } = await installation();
  const right = { ...settings, SECRETS_KEY: generateSecretsKey(), WEBHOOK_RETRY_DELAYS: "600,600,600,600" };
  const wrong = { ...right, SECRETS_KEY: generateSecretsKey() };
  const { url, received } = await receiver();
  const { id } = await minutesJson<Made>(["webhooks", "create", "a@example.com", url], right);

  const server = await startProcess(wrong);
  const line = '"webhooks":1,"msg":"webhook deliveries wait';
  await expect.poll(() => server.output.stdout).toContain(line);
  const sent = await minutesJson<Made>(["webhooks", "test", id, "--no-wait"], wrong);
  await expect.poll(() => server.output.stdout).toContain('"msg":"sending webhooks failed"');
  const waiting = await minutesJson(["webhooks", "delivery", sent.id], wrong);
  expect(waiting).toMatchObject({ state: "pending", attempts: [] });
  await server.stop();

  const { db, log } = await deliverHere(right);
  // The first claim's lease, after which it is tried again.
  await db.update(schema.deliveries).set({ dueAt: sql`now() - interval '1 second'` });
  await db.execute(sql`select pg_notify('minutes_deliveries', '')`);
  const getError = async () => {
    const { attempts } = await minutesJson<{ attempts: { error: string }[] }>(
      ["webhooks", "delivery", sent.id],
      right,
    );
    return attempts[0]?.error;
  };
  // Without WEBHOOK_CA_FILE, the receiver's certificate is refused.
  await expect.poll(getError).toBe("tls");
  expect(log.join("")).not.toContain("webhook deliveries wait");
  expect(received).toEqual([]);
});

test.each([
  ["is missing", "/no/such/file"],
  ["has no certificate", fileURLToPath(import.meta.url)],
])("exit code 2: WEBHOOK_CA_FILE %s", async (_name, WEBHOOK_CA_FILE) => {
  const settings = { ...(await installation()), PORT: "0", WEBHOOK_CA_FILE };
  const { code, stderr } = await minutes(["start"], settings);
  const sentence = "WEBHOOK_CA_FILE must be a file of certificates in PEM form that this user can read.\n";
  expect([code, stderr]).toEqual([2, sentence]);
});
