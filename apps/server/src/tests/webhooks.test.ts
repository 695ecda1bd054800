import { setTimeout as pause } from "node:timers/promises";
import { generateSecretsKey } from "@minutes/core";
import { createTestCa, type TestCa } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runHere as minutes, minutesJson } from "../testing/installation.js";
import { minutes as minutesProcess, startProcess } from "../testing/process.js";
import { createWebhookPlaces, type Made } from "../testing/webhook-installation.js";

let ca: TestCa;
beforeAll(async () => {
  ca = await createTestCa();
});
afterAll(() => ca.remove());
const { installation, receiver } = createWebhookPlaces(() => ca);

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
  const sent = await minutesJson<Made>(["webhooks", "test", id, "--no-wait"], wrong);
  await pause(3_000); // With the right key, it is sent within a second.
  const waiting = await minutesJson(["webhooks", "delivery", sent.id], wrong);
  expect(waiting).toMatchObject({ state: "pending", attempts: [] });
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
