import { randomBytes } from "node:crypto";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import type { Answer, Person } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generateToken } from "../../keys/index.js";
import { CredentialGuard, toAddressKey } from "./credential-guard.js";

const refused = () => Promise.resolve(undefined);
const accepted = () => Promise.resolve("row");

describe("the guard", () => {
  /** Creates a guard with a test clock, and counts its database checks. */
  function scene(options: ConstructorParameters<typeof CredentialGuard>[0] = {}) {
    const clock = { now: 0 };
    const guard = new CredentialGuard({ burst: 5, perSecond: 1, now: () => clock.now, ...options });
    let queries = 0;
    const ask = (hash: Uint8Array, answer = refused as () => Promise<unknown>, address = "192.0.2.1") =>
      Promise.resolve(
        guard.createCheck(() => address)(hash, () => {
          queries++;
          return answer();
        }),
      ).then(
        (row) => row ?? 401,
        (error: { code: string }) => error.code,
      );
    return { clock, ask, queries: () => queries };
  }

  test("429 after a burst of failures, with the quota's headers; then one attempt a second", async () => {
    const { ask, clock, queries } = scene();
    for (let n = 0; n < 5; n++) expect(await ask(randomBytes(32))).toBe(401);
    expect(await ask(randomBytes(32))).toBe("TOO_MANY_REQUESTS");
    expect(queries()).toBe(5);
    clock.now += 1_000;
    expect(await ask(randomBytes(32))).toBe(401);
    expect(await ask(randomBytes(32))).toBe("TOO_MANY_REQUESTS");
  });

  test("an accepted key keeps working while its address has too many failures; another address is unaffected", async () => {
    const { ask } = scene();
    const key = randomBytes(32);
    expect(await ask(key, accepted)).toBe("row");
    for (let n = 0; n < 9; n++) await ask(randomBytes(32));
    expect(await ask(key, accepted)).toBe("row");
    expect(await ask(randomBytes(32), accepted)).toBe("TOO_MANY_REQUESTS");
    expect(await ask(randomBytes(32), accepted, "192.0.2.2")).toBe("row");
  });

  test("an accepted key that is revoked loses this privilege with its first refusal", async () => {
    const { ask } = scene();
    const key = randomBytes(32);
    await ask(key, accepted);
    for (let n = 0; n < 5; n++) await ask(randomBytes(32));
    expect(await ask(key, refused)).toBe(401);
    expect(await ask(key, refused)).toBe("TOO_MANY_REQUESTS");
  });

  test("a key refused three times costs no query for the rest of a second", async () => {
    const { ask, clock, queries } = scene({ burst: 100 });
    const key = randomBytes(32);
    for (let n = 0; n < 50; n++) expect(await ask(key)).toBe(401);
    expect(queries()).toBe(3);
    clock.now += 1_000;
    expect(await ask(key, accepted)).toBe("row");
  });

  test("four unknown keys query concurrently, others wait, and beyond that is 503; an accepted key doesn't wait for them", async () => {
    const { ask } = scene({ checksWaiting: 3 });
    const key = randomBytes(32);
    await ask(key, accepted);
    let running = 0;
    let most = 0;
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = async () => {
      most = Math.max(most, ++running);
      await released;
      running--;
      return "row";
    };
    const asked = Array.from({ length: 7 }, () => ask(randomBytes(32), slow));
    expect(await ask(randomBytes(32), slow)).toBe("SERVICE_UNAVAILABLE");
    expect(await ask(key, accepted)).toBe("row");
    release();
    expect(await Promise.all(asked)).toEqual(Array(7).fill("row"));
    expect(most).toBe(4);
  });

  test("four checks of one accepted key query concurrently, others wait; another accepted key doesn't wait for them", async () => {
    const { ask } = scene();
    const [busy, other] = [randomBytes(32), randomBytes(32)];
    await ask(busy, accepted);
    await ask(other, accepted);
    let running = 0;
    let most = 0;
    const slow = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
      return "row";
    };
    const asked = Array.from({ length: 20 }, () => ask(busy, slow));
    expect(await ask(other, accepted)).toBe("row");
    expect(running).toBe(4);
    expect(await Promise.all(asked)).toEqual(Array(20).fill("row"));
    expect(most).toBe(4);
  });

  test("a check that fails frees its slot and does not count as the caller's failure", async () => {
    const { ask } = scene();
    for (let n = 0; n < 20; n++) {
      expect(await ask(randomBytes(32), () => Promise.reject({ code: "away" }))).toBe("away");
    }
    expect(await ask(randomBytes(32), accepted)).toBe("row");
  });

  test.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2:ffff::1"],
    [undefined, "nonsense"],
  ])("%s counts as %s", (one, other) => {
    expect(toAddressKey(one)).toBe(toAddressKey(other));
  });
});

describe("forged keys with a valid checksum", () => {
  let server: TestServer;
  let anna: Person;
  let boris: Person;
  beforeAll(async () => {
    server = await startTestServer({ trustProxy: 1 });
    anna = await server.given.person();
    boris = await server.given.person();
  });
  afterAll(() => server.close());

  const ROUTES = [
    ["jk_", "me/meetings.list", {}],
    ["jk_", "workspace/tasks.list", {}],
    ["ik_", "ingest/vocabulary.get", { ownerEmail: "a@example.com" }],
    ["mst_", "settings/plan.get", {}],
  ] as const;
  const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
  const forge = async (requests: number, address: string): Promise<Answer[]> =>
    Promise.all(
      Array.from({ length: requests }, (_, n) => {
        const [prefix, route, input] = ROUTES[n % ROUTES.length] ?? ROUTES[0];
        return server.call(generateToken(prefix), route, input, from(address));
      }),
    );

  test("429 after a burst, over all route sets together; a key in use is answered, and so is another address", async () => {
    expect((await server.call(anna.key, "me/tags.list", undefined, from("192.0.2.1"))).status).toBe(200);
    const answers = await forge(400, "192.0.2.1");
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    const first = answers.find(({ status }) => status === 429);
    expect(first?.body).toEqual({
      error: "Too many failed authentications from this address. Try again later.",
    });
    expect(first?.headers).toMatchObject({
      "x-ratelimit-limit": "100",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": expect.stringMatching(/^\d+$/),
      "retry-after": expect.stringMatching(/^[1-9]\d*$/),
    });
    expect((await server.call(anna.key, "me/tags.list", undefined, from("192.0.2.1"))).status).toBe(200);
    expect((await server.call(boris.key, "me/tags.list", undefined, from("192.0.2.2"))).status).toBe(200);
    expect((await server.call("junk", "me/tags.list", undefined, from("192.0.2.1"))).status).toBe(401);
  });

  test("429: an address invented by a client is ignored behind one proxy", async () => {
    const claimed = (n: number) => `10.0.0.${n}, 192.0.2.9`;
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, n) =>
        server.call(generateToken("jk_"), "me/tags.list", undefined, from(claimed(n % 250))),
      ),
    );
    expect(answers.some(({ status }) => status === 429)).toBe(true);
  });

  test("429: X-Forwarded-For is ignored without TRUST_PROXY", async () => {
    const open = await startTestServer({ database: server.database });
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, n) =>
        open.call(generateToken("jk_"), "me/tags.list", undefined, from(`192.0.3.${n % 250}`)),
      ),
    );
    expect(answers.some(({ status }) => status === 429)).toBe(true);
    await open.close();
  });
});
