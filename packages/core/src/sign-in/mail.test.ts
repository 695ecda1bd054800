import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { type Inbox, openInbox, openSignedInBrowser, testBrowser } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createSmtpMailer } from "../lib/mailer.js";

const { signInAttempts } = schema;

let server: TestServer;
let inbox: Inbox;
beforeAll(async () => {
  inbox = await openInbox();
  server = await startTestServer({
    mailer: createSmtpMailer({ url: inbox.url, from: "Minutes <minutes@example.com>" }),
  });
});
beforeEach(() => server.db.delete(signInAttempts));
afterAll(async () => {
  await server.close();
  await inbox.close();
});

const request = (email: string, browser = testBrowser(server)) =>
  browser.write("identity/v1/link.request", { email });
/** Blocks all current counters for an hour. */
const block = () =>
  server.db.update(signInAttempts).set({ failures: 200, blockedUntil: sql`now() + interval '1 hour'` });

test("a link is mailed, however many passwords failed at the account and its address", async () => {
  const { email } = await server.given.person();
  const wrong = { email, password: "wrong password 1" };
  expect((await testBrowser(server).write("identity/v1/password.signIn", wrong)).status).toBe(401);
  await block();
  await request(email);
  await expect.poll(() => inbox.mails.some(({ to }) => to.includes(email))).toBe(true);
});

test("a known browser gets its link after strangers requested too many; an unknown one does not", async () => {
  const anna = await server.given.person();
  const known = await openSignedInBrowser(server, anna);
  const mails = () => inbox.mails.filter(({ to }) => to.includes(anna.email)).length;
  await request(anna.email);
  await expect.poll(mails).toBe(1);
  await block();
  await request(anna.email);
  await request(anna.email, known);
  await expect.poll(mails).toBe(2);
  const keys = (await server.db.select().from(signInAttempts)).map(({ key }) => key);
  expect(keys.filter((key) => key.includes(":browser:"))).toHaveLength(1);
});
