import { createTestCa, type TestCa } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deliverHere, runHere as minutes, minutesJson } from "../testing/installation.js";
import { createWebhookPlaces, type Made } from "../testing/webhook-installation.js";

let ca: TestCa;
beforeAll(async () => {
  ca = await createTestCa();
});
afterAll(() => ca.remove());
const { installation, receiver } = createWebhookPlaces(() => ca);

describe("pnpm minutes webhooks", () => {
  test("creates, lists, shows, edits, tests, sends again, disables, enables and deletes", async () => {
    const settings = await installation();
    let status = 200;
    const { url, received } = await receiver(() => status);
    const { log } = await deliverHere(settings);
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
    expect(await json("get", made.id)).toMatchObject({
      kind: "personal",
      url,
      method: "api-key",
      headerName: "x-our-key",
    });
    const company = await json<Made>("create", "a@example.com", url, "--workspace", "--name", "All");
    expect(await json("list", "a@example.com")).toMatchObject([
      { id: made.id },
      { id: company.id, name: "All" },
    ]);
    const shown = await minutes(["webhooks", "get", made.id], settings);
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
    expect(await json("update", made.id, "--name", "Renamed")).toMatchObject({ name: "Renamed", url });
    expect((await minutes(["webhooks", "delete", made.id], settings)).code).toBe(2);
    await json("delete", made.id, "--yes");
    expect(await json("list", "a@example.com")).toHaveLength(1);

    for (const secret of [made.secret, company.secret, fresh.secret])
      expect(log.join("")).not.toContain(secret);
  });

  test("exit code 1: the address is private; exit code 2: an argument is missing", async () => {
    const settings = await installation();
    await deliverHere(settings);
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

test("exit code 1: the attempt of `webhooks test` failed, and is shown", async () => {
  const settings = { ...(await installation()), WEBHOOK_RETRY_DELAYS: "600,600,600,600" };
  let status = 500;
  const { url } = await receiver(() => status);
  await deliverHere(settings);
  const { id } = await minutesJson<Made>(["webhooks", "create", "a@example.com", url], settings);
  const send = () => minutes(["webhooks", "test", id, "--json"], settings);
  const refused = await send();
  expect([refused.code, JSON.parse(refused.stdout).attempts]).toMatchObject([1, [{ status: 500 }]]);
  const text = await minutes(["webhooks", "test", id], settings);
  expect([text.code, text.stdout]).toEqual([1, expect.stringMatching(/pending[\s\S]* 500 +status/)]);
  status = 200;
  const taken = await send();
  expect([taken.code, JSON.parse(taken.stdout).attempts]).toMatchObject([0, [{ status: 200 }]]);
});
