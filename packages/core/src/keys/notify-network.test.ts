import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { eq } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

type Mail = { to: readonly string[]; subject: string; text: string };

let server: TestServer;
const inbox: Mail[] = [];
beforeAll(async () => {
  server = await startTestServer({
    trustProxy: 1,
    mailer: async (mail) => void inbox.push(mail),
  });
});
afterEach(() => void inbox.splice(0));
afterAll(() => server.close());

/** Calls with a key from an address of a network. */
const callFrom = async (
  address: string,
  key: string,
  route: "me/meetings.list" | "workspace/meetings.list" = "me/meetings.list",
) => {
  const answer = await server.call(key, route, undefined, { headers: { "x-forwarded-for": address } });
  expect(answer.status).toBe(200);
};
const recorded = (keyId: string) => server.db.$count(schema.auditLog, eq(schema.auditLog.actor, keyId));

test("a key's owner gets one e-mail per new network, and none for a known one", async () => {
  const anna = await server.given.person();
  await callFrom("192.0.2.7", anna.key);
  await expect.poll(() => inbox.length).toBe(1);
  await callFrom("192.0.2.99", anna.key);
  await callFrom("198.51.100.4", anna.key);
  await expect.poll(() => inbox.length).toBe(2);
  expect(await recorded(anna.keyId)).toBe(2);
  expect(inbox.map(({ to }) => to)).toEqual([[anna.email], [anna.email]]);
  expect(inbox[1]?.text).toContain("198.51.100.0/24");
  expect(inbox[1]?.text).toContain(anna.keyId);
  expect(JSON.stringify(inbox)).not.toContain(anna.key);
  expect(JSON.stringify(inbox)).not.toContain("198.51.100.4");
});

test("admins get the e-mail about a workspace key; after five in a day only the audit log has the rest", async () => {
  const company = await server.given.company();
  await server.given.member(company);
  for (let network = 1; network <= 7; network++) {
    await callFrom(`203.0.${network}.1`, company.key, "workspace/meetings.list");
    await expect.poll(() => recorded(company.keyId)).toBe(network);
    await expect.poll(() => inbox.length).toBe(Math.min(network, 5));
  }
  expect(new Set(inbox.flatMap(({ to }) => to))).toEqual(new Set([company.admin.email]));
});
