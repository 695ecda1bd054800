import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toNetwork } from "./networks.js";

const { auditLog } = schema;

describe("a key's use from a new network", () => {
  let server: TestServer;
  /** Another process of the same installation. */
  let second: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ trustProxy: 1 });
    second = await startTestServer({ trustProxy: 1, database: server.database });
  });
  afterAll(async () => {
    await second.close();
    await server.close();
  });

  const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
  const entriesOf = (keyId: string) =>
    server.db.select().from(auditLog).where(eq(auditLog.actor, keyId)).orderBy(auditLog.object);

  test("is recorded once across processes, with the network and without the address", async () => {
    const { key, keyId } = await server.given.person();
    for (const address of ["192.0.2.7", "192.0.2.250", "2001:db8:5:6::1", "::ffff:192.0.2.9"]) {
      for (const process of [server, second]) {
        expect((await process.call(key, "me/tags.list", {}, from(address))).status).toBe(200);
      }
    }
    await expect
      .poll(async () => (await entriesOf(keyId)).map(({ action, object }) => [action, object]))
      .toEqual([
        ["key.new-network", "192.0.2.0/24"],
        ["key.new-network", "2001:db8:5::/48"],
      ]);
  });

  test("of a recorder's credential is recorded as well; an unknown key is not", async () => {
    const company = await server.given.company();
    const ingestKey = await server.given.ingestKey(company);
    const headers = { ...from("198.51.100.3").headers, "x-api-key": ingestKey };
    await fetch(`${server.url}/ingest/v1/nothing`, { headers });
    await server.call(
      company.key.replace(/.$/, (last) => (last === "x" ? "y" : "x")),
      "me/tags.list",
      {},
      from("203.0.113.5"),
    );
    const read = () =>
      server.db
        .select({ action: auditLog.action, object: auditLog.object })
        .from(auditLog)
        .where(eq(auditLog.object, "198.51.100.0/24"));
    await expect.poll(read).toEqual([{ action: "ingest-key.new-network", object: "198.51.100.0/24" }]);
    expect(await server.db.select().from(auditLog).where(eq(auditLog.object, "203.0.113.0/24"))).toEqual([]);
  });
});

test.each([
  ["192.0.2.77", "192.0.2.0/24"],
  ["::ffff:192.0.2.77", "192.0.2.0/24"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"],
  ["no address", null],
  [undefined, null],
])("%s is recorded as %s", (address, network) => {
  expect(toNetwork(address)).toBe(network);
});
