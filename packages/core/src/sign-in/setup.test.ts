import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { openInbox, readPayload, testBrowser } from "@minutes/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSmtpMailer } from "../lib/mailer.js";
import { createSetupToken } from "./links.js";

const { oneTimeLinks, passwords, users, workspaces } = schema;

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer();
});
afterEach(() => server.close());

const facts = (token: string, email: string) => ({
  token,
  workspaceName: `Workspace of ${email}`,
  name: "Ann",
  email,
  password: "correct horse battery",
});
const complete = (token: string, email: string) =>
  testBrowser(server).write("identity/v1/setup.complete", facts(token, email));
const counts = async () => [
  (await server.db.select().from(users)).length,
  (await server.db.select().from(workspaces)).length,
  (await server.db.select().from(passwords)).length,
];

test("the printed link creates a workspace, its admin and their first key", async () => {
  const browser = testBrowser(server);
  expect(readPayload(await browser.read("identity/v1/session.get"))).toMatchObject({
    signedIn: false,
    firstStep: "setup",
  });
  const token = await createSetupToken(server.db);
  readPayload(await browser.write("identity/v1/setup.complete", facts(token, "ann@acme.test")));
  expect(readPayload(await browser.read("identity/v1/session.get"))).toMatchObject({
    signedIn: true,
    firstStep: null,
  });
  expect(readPayload(await browser.read("settings/v1/account.get"))).toMatchObject({
    email: "ann@acme.test",
    role: "admin",
    workspaceName: "Workspace of ann@acme.test",
    ...{ hasPassword: true, writesSummaries: false },
  });
  const { key } = readPayload<{ key: string }>(
    await browser.write("settings/v1/keys.create", { kind: "personal", name: "First" }),
  );
  expect((await server.call(key, "me/meetings.list")).status).toBe(200);
});

test("401: a set-up link raced for by two processes and four browsers creates one admin", async () => {
  const before = await counts();
  const tokens = [await createSetupToken(server.db), await createSetupToken(server.db)];
  const answers = await Promise.all(
    Array.from({ length: 4 }, (_, at) => complete(tokens[at % 2] ?? "", `race${at}@acme.test`)),
  );
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([200, ...Array.from({ length: 3 }, () => 401)]);
  const after = await counts();
  expect(after[0]).toBe((before[0] ?? 0) + 1);
  expect(after[2]).toBe(1);
});

test("401: a used or expired set-up link, or another kind of link", async () => {
  const expired = await createSetupToken(server.db);
  await server.db.update(oneTimeLinks).set({ expiresAt: "2025-01-01T00:00:00.000Z" });
  expect((await complete(expired, "expired@acme.test")).status).toBe(401);
  expect((await complete("mlk_nonsense", "x@acme.test")).status).toBe(401);
  const used = await createSetupToken(server.db);
  readPayload(await complete(used, "used@acme.test"));
  expect((await complete(used, "again@acme.test")).status).toBe(401);
  // Once there is a user, an earlier link no longer works.
  const late = await createSetupToken(server.db);
  expect((await complete(late, "late@acme.test")).status).toBe(401);
});

test("409: a taken workspace name leaves the set-up link valid and stores nothing", async () => {
  await server.db.insert(workspaces).values({ id: "wks_taken", name: "Acme" });
  const before = await counts();
  const token = await createSetupToken(server.db);
  const write = (workspaceName: string) =>
    testBrowser(server).write("identity/v1/setup.complete", {
      ...facts(token, "ann@acme.test"),
      workspaceName,
    });
  expect((await write("Acme")).status).toBe(409);
  expect(await counts()).toEqual(before);
  readPayload(await write("Other"));
});

test("401: with users that have no password, nothing is set up: they need a link", async () => {
  const token = await createSetupToken(server.db);
  await server.given.company();
  const before = await counts();
  expect((await complete(token, "stranger@acme.test")).status).toBe(401);
  expect(await counts()).toEqual(before);
  expect(readPayload(await testBrowser(server).read("identity/v1/session.get"))).toMatchObject({
    firstStep: "link",
  });
});

test("400: a password of 11 characters", async () => {
  const token = await createSetupToken(server.db);
  const answer = await testBrowser(server).write("identity/v1/setup.complete", {
    ...facts(token, "short@acme.test"),
    password: "12345678901",
  });
  expect(answer.status).toBe(400);
});

describe("with sign-in by e-mailed links only", () => {
  test("the set-up needs no password, and a link signs its admin in afterwards", async () => {
    const inbox = await openInbox();
    const mailer = createSmtpMailer({ url: inbox.url, from: "Minutes <minutes@example.com>" });
    const alone = await startTestServer({ mailer, signIn: { SIGN_IN: ["link"] } });
    const browser = testBrowser(alone);
    const { password: _, ...without } = facts(await createSetupToken(alone.db), "link@acme.test");
    readPayload(await browser.write("identity/v1/setup.complete", without));
    expect(readPayload(await browser.read("identity/v1/session.get"))).toMatchObject({
      signedIn: true,
      firstStep: null,
    });
    const again = await testBrowser(alone).write("identity/v1/setup.complete", {
      ...without,
      token: await createSetupToken(alone.db),
    });
    expect(again.status).toBe(401);
    const later = testBrowser(alone);
    await later.write("identity/v1/link.request", { email: "link@acme.test" });
    await expect.poll(() => inbox.mails.length).toBe(1);
    const token = /sign-in#(\S+)/.exec(inbox.mails[0]?.text ?? "")?.[1] ?? "";
    readPayload(await later.write("identity/v1/link.use", { token }));
    expect(readPayload(await later.read("settings/v1/account.get"))).toMatchObject({
      role: "admin",
      hasPassword: false,
    });
    await alone.close();
    await inbox.close();
  });

  test("users added by the command line can sign in without a set-up", async () => {
    const alone = await startTestServer({ mailer: async () => {}, signIn: { SIGN_IN: ["link"] } });
    const needs = async () =>
      readPayload<{ firstStep: string | null }>(await testBrowser(alone).read("identity/v1/session.get"))
        .firstStep;
    expect(await needs()).toBe("setup");
    await alone.given.person();
    expect(await needs()).toBe(null);
    await alone.close();
  });

  test("400: a set-up without a password if people sign in with one", async () => {
    const { password: _, ...without } = facts(await createSetupToken(server.db), "none@acme.test");
    const answer = await testBrowser(server).write("identity/v1/setup.complete", without);
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: "A password is required: people sign in with one here." },
    ]);
  });
});
