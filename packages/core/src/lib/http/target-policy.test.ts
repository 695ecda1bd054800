import { schema } from "@minutes/db";
import {
  createPersonalWebhook,
  createWebhookScene,
  type Person,
  type Receiver,
  startWebhookReceiver,
  type WebhookScene,
} from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../../access/actor.js";
import { createSender, getDelivery, sendTest, updateWebhook } from "../../webhooks/index.js";
import { generateId } from "../ids.js";
import { createTargetPolicy } from "./target-policy.js";

/** Answers of a hostile name server, by name. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "loopback.test": ["127.0.0.1"],
  "mixed.test": ["93.184.216.34", "127.0.0.1"],
  "mapped.test": ["::ffff:127.0.0.1"],
  "metadata.test": ["169.254.169.254"],
  "private.test": ["10.0.0.1"],
  "ula.test": ["fd00::1"],
  localhost: ["127.0.0.1", "::1"],
  "localhost.": ["127.0.0.1"],
};

const resolve = async (name: string) => {
  const addresses = NAMES[name];
  if (!addresses) throw Object.assign(new Error("unknown"), { code: "ENOTFOUND" });
  return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
};
const targetPolicy = createTargetPolicy({ resolve });

/** Ways to write an address of an internal network. */
const HOSTS = [
  ...["127.0.0.1", "127.1", "127.0.1", "127.255.255.254", "2130706433", "0x7f000001", "0x7F.0.0.1", "0x7f.1"],
  ...[
    "017700000001",
    "0177.0.0.1",
    "0177.1",
    "127.0.0.1.",
    "①②⑦.⓪.⓪.①",
    "127。0。0。1",
    "127%2e0%2e0%2e1",
    "１２７.0.0.1",
  ],
  ...[
    "0",
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "0xa000001",
    "012.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
  ],
  ...[
    "192.168.0.1",
    "192.168.1",
    "3232235777",
    "0xc0a80101",
    "169.254.169.254",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
  ],
  ...["100.64.0.1", "100.127.255.255", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1"],
  ...["224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"],
  ...[
    "[::1]",
    "[::]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::ffff:10.0.0.1]",
    "[::ffff:a9fe:a9fe]",
  ],
  ...[
    "[::127.0.0.1]",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::a00:1]",
    "[64:ff9b:1::7f00:1]",
  ],
  ...[
    "[2002:7f00:1::]",
    "[2002:a00:1::1]",
    "[2001:0:7f00:1::]",
    "[fe80::1]",
    "[fec0::1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
  ],
  ...["[ff02::1]", "[2001:db8::1]", "[100::1]", "[2001:10::1]", ...Object.keys(NAMES)],
];

/** URLs refused for their form. */
const REFUSED_FORMS = (port: number) => [
  `http://127.0.0.1:${port}/`,
  "http://93.184.216.34/", // public, but still refused
  "ftp://93.184.216.34/",
  "wss://93.184.216.34/",
  "https://user@93.184.216.34/",
  "https://:pass@93.184.216.34/",
  `https://user:pass@example.com:${port}/`,
  `https://example.com@127.0.0.1:${port}/`,
  `https://:@127.0.0.1:${port}/`,
  `https:\\\\127.0.0.1:${port}/`,
  `ftp://127.0.0.1:${port}/`,
  `file:///etc/passwd`,
  `//127.0.0.1:${port}/`,
  `https://`,
  `https://[::1/`,
  `https://127.0.0.1:${port + 70_000}/`,
  "javascript:alert(1)",
  "data:text/plain,x",
  "",
];

let scene: WebhookScene;
let inside: Receiver;
let anna: Person;
beforeAll(async () => {
  scene = await createWebhookScene();
  inside = await startWebhookReceiver(await scene.ca.issue());
  anna = await scene.given.person();
});
afterAll(async () => {
  await scene.close();
  await inside.close();
});

describe("private addresses", () => {
  const urls = () => HOSTS.map((host) => `https://${host}:${inside.port}/hook`);

  test("the list has at least sixty forms", () => expect(HOSTS.length).toBeGreaterThanOrEqual(60));

  test("400: creating or changing a webhook", async () => {
    const settings = { ...scene.settings, targetPolicy };
    const boris = await scene.given.person();
    const { id } = await scene.personalWebhook(boris, inside.url);
    const before = inside.connections();
    for (const url of [...urls(), ...REFUSED_FORMS(inside.port)]) {
      const made = createPersonalWebhook(scene.db, settings, boris.userId, {
        name: "x",
        url,
        method: "signature",
      });
      await expect(made, url).rejects.toMatchObject({ code: "BAD_REQUEST" });
      const changed = updateWebhook(scene.db, settings, OPERATOR, id, { url });
      await expect(changed, url).rejects.toMatchObject({ code: "BAD_REQUEST" });
    }
    expect(inside.connections()).toBe(before);
  });

  test("a delivery and a test delivery fail before they connect", async () => {
    const before = inside.connections();
    await scene.worker({ targetPolicy, retryDelays: [0, 0, 0, 0], timeout: 5_000 });
    // Stored as if the policy had let them through at creation.
    const sent = new Map<string, string>();
    for (const url of urls().filter((one) => URL.canParse(one))) {
      const id = generateId("whk");
      const stored = {
        id,
        url,
        kind: "personal",
        userId: anna.userId,
        name: "x",
        method: "signature",
      } as const;
      await scene.db
        .insert(schema.webhooks)
        .values({ ...stored, ...scene.settings.keyring.encrypt("ss_x", id) });
      sent.set((await sendTest(scene.db, OPERATOR, id)).deliveryId, url);
    }
    expect(sent.size).toBeGreaterThan(60);
    for (const [deliveryId, url] of sent) {
      const delivery = () => getDelivery(scene.db, OPERATOR, deliveryId);
      await expect.poll(async () => (await delivery()).state).toBe("failed");
      const errors = (await delivery()).attempts.map(({ error }) => error);
      expect([url, errors]).toEqual([url, Array(5).fill("blocked")]);
    }
    expect(inside.connections()).toBe(before);
  });

  test("the sender itself refuses them", async () => {
    const before = inside.connections();
    const sender = createSender({ targetPolicy, extraCa: scene.ca.ca, timeout: 5_000 });
    for (const url of urls()) {
      if (!URL.canParse(url)) continue;
      expect([url, (await sender.send({ url, headers: {}, body: "{}" })).error]).toEqual([url, "blocked"]);
    }
    await sender.close();
    expect(inside.connections()).toBe(before);
  });
});

describe("the allow-list", () => {
  test("allows its networks, including IPv4 addresses mapped to IPv6", () => {
    const allowed = createTargetPolicy({ allowedNetworks: ["10.1.0.0/16", "fd00::/8"] });
    for (const address of ["10.1.2.3", "::ffff:10.1.2.3", "fd12::1", "93.184.216.34", "2606:4700::1111"])
      expect(() => allowed.checkAddress(address), address).not.toThrow();
    for (const address of ["10.2.0.1", "127.0.0.1", "::ffff:10.2.0.1", "fe80::1", "not an address", ""])
      expect(() => allowed.checkAddress(address), address).toThrow();
  });
});

test("a name that changes its address 1,000 times reaches only permitted addresses", async () => {
  // 127.0.0.2 stands for the public address that a name has first, 127.0.0.1 for the private one after it.
  const certificate = await scene.ca.issue({ names: ["DNS:rebind.test"] });
  const close: Parameters<typeof startWebhookReceiver>[1] = (_got, _request, response) => {
    response.writeHead(200, { connection: "close" }).end();
    return undefined;
  };
  // In this order: many programs have ports of 127.0.0.1, and none has the same one of 127.0.0.2.
  const hidden = await startWebhookReceiver(certificate, close);
  const outside = await startWebhookReceiver(certificate, close, { address: "127.0.0.2", port: hidden.port });
  let asked = 0;
  const flipping = createTargetPolicy({
    allowedNetworks: ["127.0.0.2/32"],
    resolve: async () => {
      const both = [
        { address: "127.0.0.2", family: 4 },
        { address: "127.0.0.1", family: 4 },
      ];
      const turn = asked++ % 4;
      return turn === 2 ? both : turn === 3 ? both.toReversed() : both.slice(turn, turn + 1);
    },
  });
  const sender = createSender({ targetPolicy: flipping, extraCa: scene.ca.ca });
  const errors: Record<string, number> = {};
  const url = `https://rebind.test:${outside.port}/`;
  for (let flip = 0; flip < 1_000; flip += 10) {
    const some = Array.from({ length: 10 }, () => sender.send({ url, headers: {}, body: "{}" }));
    for (const { error } of await Promise.all(some)) errors[String(error)] = (errors[String(error)] ?? 0) + 1;
  }
  expect(asked).toBe(1_000);
  expect(errors).toEqual({ null: 250, blocked: 750 });
  expect(outside.received).toHaveLength(250);
  expect(hidden.connections()).toBe(0);
  await Promise.all([sender.close(), outside.close(), hidden.close()]);
});

test("nothing is sent to a peer whose address differs from the checked one", async () => {
  const before = inside.received.length;
  // As if the connection had been redirected after the check.
  const elsewhere = {
    ...targetPolicy,
    resolvePublic: async () => [{ address: "127.0.0.1", family: 4 }],
  };
  const sender = createSender({ targetPolicy: elsewhere, extraCa: scene.ca.ca });
  expect(await sender.send({ url: inside.url, headers: {}, body: "{}" })).toMatchObject({ error: "blocked" });
  expect(inside.received).toHaveLength(before);
  await sender.close();
});

test("a name with silent name servers is saved within the call's deadline", async () => {
  const silent = createTargetPolicy({ resolve: () => new Promise(() => {}) });
  expect(await silent.checkUrl("https://silent.test/")).toBe("https://silent.test/");
});

test("a name that does not resolve yet can be saved; its deliveries fail with dns", async () => {
  expect(await targetPolicy.checkUrl("https://not-yet.test/hook#part")).toBe("https://not-yet.test/hook");
  const sender = createSender({ targetPolicy });
  expect(await sender.send({ url: "https://not-yet.test/", headers: {}, body: "" })).toMatchObject({
    status: null,
    error: "dns",
  });
  await sender.close();
});

test("the audit log has no secrets and no addresses", async () => {
  const { id } = await scene.personalWebhook(await scene.given.person(), inside.url);
  await updateWebhook(scene.db, scene.settings, OPERATOR, id, { url: `${inside.url}/other` });
  const rows = await scene.db.select({ row: sql<string>`a::text` }).from(sql`audit_log a`);
  expect(rows.length).toBeGreaterThan(0);
  for (const { row } of rows) expect(row).not.toMatch(/https:|sk_|ss_/);
});
