import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { openSignedInBrowser, PASSWORD, type Person, readPayload, testBrowser } from "@minutes/testing";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { signIn, usePasswordScene } from "./testing/password-scene.js";

const { auditLog } = schema;

let server: TestServer;
let anna: Person;
usePasswordScene((scene) => {
  ({ server, anna } = scene);
});

const attempt = (email: string, password: string, at: { url: string } = server) =>
  signIn(at, email, password);

describe("sessions", () => {
  test("a cookie planted by an attacker is not reused for the new session", async () => {
    const attacker = await openSignedInBrowser(server, await server.given.person());
    const victim = testBrowser(server);
    victim.cookie = attacker.cookie;
    const planted = victim.cookie;
    readPayload(await victim.write("identity/v1/password.signIn", { email: anna.email, password: PASSWORD }));
    expect(victim.cookie).not.toBe(planted);
    expect((await attacker.read("settings/v1/account.get")).status).toBe(401);
  });

  test("signing out ends the session on every process", async () => {
    const other = await startTestServer({ database: server.database });
    const browser = await openSignedInBrowser(server, anna);
    const copy = testBrowser(other);
    copy.cookie = browser.cookie;
    expect((await copy.read("settings/v1/account.get")).status).toBe(200);
    readPayload(await browser.write("identity/v1/session.end"));
    expect(browser.cookie).toBe("");
    expect((await copy.read("settings/v1/account.get")).status).toBe(401);
    await other.close();
  });

  test("over https the cookie is bound to the host", async () => {
    const secure = await startTestServer({
      database: server.database,
      publicUrl: "https://minutes.example.com",
    });
    const answer = await attempt(anna.email, PASSWORD, secure);
    expect(answer.headers["set-cookie"]).toEqual([
      expect.stringMatching(/^__Host-minutes=mst_\w+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax; Secure$/),
      expect.stringMatching(/^__Host-minutes-browser=mbr_\w+; .*; HttpOnly; SameSite=Lax; Secure$/),
    ]);
    await secure.close();
  });

  test("the audit log records sign-ins without e-mail addresses, tokens and passwords", async () => {
    await attempt(anna.email, PASSWORD);
    const log = await server.db.select().from(auditLog).where(eq(auditLog.actor, anna.userId));
    expect(log.map(({ action }) => action)).toContain("session.create");
    const text = JSON.stringify(await server.db.select().from(auditLog)) + server.log.join("\n");
    for (const secret of [anna.email, PASSWORD, "mst_", "mlk_"]) expect(text).not.toContain(secret);
  });
});
