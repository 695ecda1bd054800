import { schema } from "@minutes/db";
import { startTestServer } from "@minutes/server/testing";
import { openSignedInBrowser, PASSWORD, type Person, readPayload, testBrowser } from "@minutes/testing";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accountOf, type MailScene, openMailScene } from "./testing/mail-scene.js";

let scene: MailScene;
let server: MailScene["server"];
let mails: MailScene["mails"];
beforeAll(async () => {
  scene = await openMailScene();
  ({ server, mails } = scene);
});
beforeEach(async () => {
  mails.length = 0;
  await server.db.delete(schema.signInAttempts);
});
afterAll(() => scene.close());

describe("a link by e-mail", () => {
  /** Lists the mails to one address: those to others can arrive in a later test. */
  const mailsTo = (email: string) => mails.filter(({ to }) => to.includes(email));
  const request = (email: string) => testBrowser(server).write("identity/v1/link.request", { email });

  test("signs its user in, once; an unknown address gets the same answer and no e-mail", async () => {
    const anna: Person = await server.given.person();
    const [known, unknown] = [await request(anna.email), await request("nobody@example.com")];
    expect([unknown.status, unknown.text]).toEqual([known.status, known.text]);
    await expect.poll(() => mailsTo(anna.email).length).toBe(1);
    expect(mailsTo(anna.email)[0]?.to).toEqual([anna.email]);
    const token =
      /http:\/\/localhost:3000\/sign-in#(\S+)/.exec(mailsTo(anna.email)[0]?.text ?? "")?.[1] ?? "";
    const browser = testBrowser(server);
    readPayload(await browser.write("identity/v1/link.use", { token }));
    expect((await accountOf(browser)).email).toBe(anna.email);
    expect((await testBrowser(server).write("identity/v1/link.use", { token })).status).toBe(401);
    expect(mailsTo(anna.email)).toHaveLength(1);
  });

  test("shows its user and the session it would end, without being used up; 401 afterwards", async () => {
    const [anna, ben] = [await server.given.person(), await server.given.person()];
    await request(anna.email);
    await expect.poll(() => mailsTo(anna.email).length).toBe(1);
    const token = /sign-in#(\S+)/.exec(mailsTo(anna.email)[0]?.text ?? "")?.[1] ?? "";
    const others = await openSignedInBrowser(server, ben);
    const own = await openSignedInBrowser(server, anna);
    for (const [browser, replaces] of [
      [testBrowser(server), null],
      [others, ben.email],
      [own, null],
    ] as const)
      expect(readPayload(await browser.write("identity/v1/link.get", { token }))).toEqual({
        ...{ email: anna.email, replaces },
      });
    expect((await accountOf(others)).email).toBe(ben.email);
    readPayload(await testBrowser(server).write("identity/v1/link.use", { token }));
    for (const used of [token, "mlk_x"])
      expect((await others.write("identity/v1/link.get", { token: used })).status).toBe(401);
  });

  test("is valid for 15 minutes, and stored as a hash", async () => {
    const anna = await server.given.person();
    await server.db.delete(schema.oneTimeLinks);
    await request(anna.email);
    await expect.poll(() => mailsTo(anna.email).length).toBe(1);
    const token = /sign-in#(\S+)/.exec(mailsTo(anna.email)[0]?.text ?? "")?.[1] ?? "";
    const [link] = await server.db.select().from(schema.oneTimeLinks);
    const minutes = (Date.parse(link?.expiresAt ?? "") - Date.now()) / 60_000;
    expect(Math.round(minutes)).toBe(15);
    expect(Buffer.from(link?.hash ?? []).toString("latin1")).not.toContain(token);
    await server.db.update(schema.oneTimeLinks).set({ expiresAt: "2025-01-01T00:00:00.000Z" });
    expect((await testBrowser(server).write("identity/v1/link.use", { token })).status).toBe(401);
  });

  test("is sent in the background, so the response time reveals nothing", async () => {
    const anna = await server.given.person();
    const slow = await startTestServer({ database: server.database, mailer: () => new Promise(() => {}) });
    for (const email of [anna.email, "nobody@example.com"])
      expect((await testBrowser(slow).write("identity/v1/link.request", { email })).status).toBe(200);
    await slow.close();
  });

  test("takes an account from a creator who used the owner's address", async () => {
    const email = "victim@example.com";
    const attacker = await scene.joinUnconfirmed(email);
    const { key } = readPayload<{ key: string }>(
      await attacker.write("settings/v1/keys.create", { kind: "personal", name: "Back door" }),
    );
    expect((await server.call(key, "me/meetings.list")).status).toBe(200);
    // The first use of the key is mailed.
    await expect.poll(() => mailsTo(email).length).toBe(1);
    await request(email);
    await expect.poll(() => mailsTo(email).length).toBe(2);
    const link = /sign-in#(\S+)/.exec(mailsTo(email)[1]?.text ?? "")?.[1] ?? "";
    const owner = testBrowser(server);
    readPayload(await owner.write("identity/v1/link.use", { token: link }));
    expect((await accountOf(owner)).email).toBe(email);
    expect((await attacker.read("settings/v1/account.get")).status).toBe(401);
    expect((await server.call(key, "me/meetings.list")).status).toBe(401);
    const again = await testBrowser(server).write("identity/v1/password.signIn", {
      email,
      password: PASSWORD,
    });
    expect(again.status).toBe(401);
  });

  test("confirms the address and ends nothing if used in a browser signed in to the account", async () => {
    const email = "honest@example.com";
    const browser = await scene.joinUnconfirmed(email);
    await request(email);
    await expect.poll(() => mailsTo(email).length).toBe(1);
    const link = /sign-in#(\S+)/.exec(mailsTo(email)[0]?.text ?? "")?.[1] ?? "";
    readPayload(await browser.write("identity/v1/link.use", { token: link }));
    const again = await testBrowser(server).write("identity/v1/password.signIn", {
      email,
      password: PASSWORD,
    });
    expect(again.status).toBe(200);
    const [user] = await server.db.select().from(schema.users).where(eq(schema.users.email, email));
    expect(user?.emailConfirmed).toBe(true);
  });

  test("is sent at most three times in a row, however often it is requested", async () => {
    const anna = await server.given.person();
    const answers = await Promise.all(Array.from({ length: 12 }, () => request(anna.email)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    await expect.poll(() => mailsTo(anna.email).length).toBeGreaterThan(0);
    expect(mailsTo(anna.email).length).toBeLessThanOrEqual(4);
  });

  test("404: without a mail server", async () => {
    const silent = await startTestServer({ database: server.database });
    const answer = await testBrowser(silent).write("identity/v1/link.request", { email: "a@b.test" });
    expect(answer.status).toBe(404);
    expect(readPayload(await testBrowser(silent).read("identity/v1/session.get"))).toMatchObject({
      ways: { password: true, magicLink: false },
    });
    await silent.close();
  });
});
