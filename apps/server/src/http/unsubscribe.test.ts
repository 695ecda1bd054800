import { createSmtpMailer, eraseUser, type Mailer, OPERATOR, sendDigests } from "@minutes/core";
import { schema } from "@minutes/db";
import { completeMeeting, type Inbox, openInbox, type Person, readPayload } from "@minutes/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../testing/server.js";

let inbox: Inbox;
let mailer: Mailer;
let server: TestServer;
beforeAll(async () => {
  inbox = await openInbox();
  mailer = createSmtpMailer({ url: inbox.url, from: "Minutes <minutes@example.com>" });
  server = await startTestServer({ mailer, accessLog: true });
});
afterAll(async () => {
  await server.close();
  await inbox.close();
});

const choose = async (who: Person, meeting: boolean) =>
  server.call(await server.given.session(who), "settings/digests.update", { meeting });
const isSubscribed = async (who: Person) =>
  readPayload<{ meeting: boolean }>(
    await server.call(await server.given.session(who), "settings/digests.get"),
  ).meeting;

/** Sends an e-mail about a meeting. @returns the path of its link */
async function mailed(who: Person): Promise<string> {
  expect((await choose(who, true)).status).toBe(200);
  await completeMeeting(server.db, who, { startTime: new Date().toISOString() });
  const publicUrl = () => "https://minutes.example.com";
  const signal = new AbortController().signal;
  await sendDigests(server.db, { mailer, publicUrl, onFault: (error) => expect(error).toBeNull() }, signal);
  return (
    /https:\/\/minutes\.example\.com(\/unsubscribe\/\w+)/.exec(inbox.mails.at(-1)?.text ?? "")?.[1] ?? ""
  );
}
const open = (path: string, init?: RequestInit) => fetch(server.url + path, init);
/** The request of a mail program, as RFC 8058 has it: from anywhere, without cookies. */
const oneClick = {
  method: "POST",
  body: "List-Unsubscribe=One-Click",
  headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "cross-site" },
};

test("200: opening the link asks and changes nothing, one click ends the e-mails, and repeating it is no error", async () => {
  const anna = await server.given.person();
  const path = await mailed(anna);
  for (const method of ["GET", "HEAD"]) {
    const page = await open(path, { method });
    expect([page.status, page.headers.get("cache-control"), page.headers.get("x-frame-options")]).toEqual([
      ...[200, "no-store", "DENY"],
    ]);
    expect(await page.text()).not.toContain(anna.email);
  }
  expect(await (await open(path)).text()).toContain('<form method="post">');
  expect(await isSubscribed(anna)).toBe(true);
  for (let time = 0; time < 2; time++) {
    const ended = await open(path, oneClick);
    expect([ended.status, await ended.text()]).toEqual([200, expect.stringContaining("E-mails ended")]);
    expect(await isSubscribed(anna)).toBe(false);
  }
  expect(server.log.join("")).not.toContain(path.split("/").at(-1));
});

test("404: an unknown, malformed or expired link, and that of an erased user", async () => {
  const [anna, ben] = [await server.given.person(), await server.given.person()];
  const [path, erased] = [await mailed(anna), await mailed(ben)];
  await eraseUser(server.db, OPERATOR, ben.userId);
  for (const unknown of [erased, `${path}x`, "/unsubscribe/mun_x", "/unsubscribe/%00"])
    for (const init of [undefined, oneClick])
      expect([unknown, (await open(unknown, init)).status]).toEqual([unknown, 404]);
  await server.db.update(schema.digests).set({ expiresAt: "2025-01-01T00:00:00.000Z" });
  expect((await open(path, oneClick)).status).toBe(404);
  expect(await isSubscribed(anna)).toBe(true);
});
