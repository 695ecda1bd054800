import { schema } from "@minutes/db";
import {
  type Company,
  givePassword,
  openSignedInBrowser,
  type Person,
  readPayload,
  testBrowser,
} from "@minutes/testing";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../testing/index.js";
import {
  type Account,
  CALLBACK,
  getLastPath,
  Jar,
  type OidcScene,
  PUBLIC_URL,
  startOidcScene,
  type Visit,
  visit,
} from "../../testing/oidc.js";

const { auditLog, companyAccounts, members, users } = schema;

let account: Account = { sub: "1", email: "", email_verified: true, name: "Anna" };
let scene: OidcScene;
let server: TestServer;
/** Allows new people to join the workspace of `company`. */
let open: TestServer;
let issuer: string;
let workspaceId: string;
let signIn: OidcScene["signIn"];
let whoIs: OidcScene["whoIs"];

beforeAll(async () => {
  scene = await startOidcScene(() => account);
  ({ server, issuer, signIn, whoIs } = scene);
  ({ workspaceId } = await server.given.company());
  open = await startTestServer({
    database: server.database,
    publicUrl: PUBLIC_URL,
    signIn: { ...scene.settings, OIDC_WORKSPACE: workspaceId },
  });
});
afterAll(async () => {
  await open?.close();
  await scene?.close();
});
beforeEach(() => server.db.delete(companyAccounts));

describe("a company's account", () => {
  test("signs in the user who has its verified e-mail address, and says so in the audit log", async () => {
    const anna = await server.given.person();
    account = { sub: "anna", email: anna.email.toUpperCase(), email_verified: true, name: "Anna" };
    const visited = await signIn();
    expect(getLastPath(visited)).toBe("/meetings");
    expect(await whoIs(visited)).toMatchObject({ userId: anna.userId });
    const log = await server.db.select().from(auditLog).where(eq(auditLog.actor, anna.userId));
    const entry = (action: string) => log.find((one) => one.action === action);
    expect(entry("user.link")).toMatchObject({ method: null, network: null });
    expect(entry("session.create")).toMatchObject({ method: "oidc", network: "127.0.0.0/24" });
  });

  test("asks the provider with PKCE, state and nonce, and the redirect address of PUBLIC_URL", async () => {
    account = { sub: "x", email: "x@example.com", email_verified: true, name: "X" };
    const { path, jar } = await visit(server, "/identity/v1/oidc/start", { until: new RegExp(`^${issuer}`) });
    const asked = new URL(path.at(-1) ?? "").searchParams;
    expect(asked.get("redirect_uri")).toBe(CALLBACK);
    expect(asked.get("code_challenge_method")).toBe("S256");
    for (const name of ["state", "nonce", "code_challenge"]) expect(asked.get(name)).toMatch(/^[\w-]{43}$/);
    // The URL alone can't complete the sign-in: it lacks the cookie's secret.
    const [secret = ""] = jar.header(PUBLIC_URL).replace("minutes-oidc=", "").split(".");
    expect(secret).toHaveLength(43);
    expect(path.at(-1)).not.toContain(secret);
  });

  test("is found again by the provider's id, after its e-mail address changed", async () => {
    const anna = await server.given.person();
    account = { sub: "stays", email: anna.email, email_verified: true, name: "Anna" };
    await signIn();
    account = { ...account, email: "new@elsewhere.example", email_verified: false };
    expect(await whoIs(await signIn())).toMatchObject({ userId: anna.userId });
  });

  test("is listed on the account page, and its link can be removed by its user alone", async () => {
    const anna = await server.given.person();
    account = { sub: "listed", email: anna.email, email_verified: true, name: "Anna" };
    await signIn();
    const browser = await openSignedInBrowser(server, anna);
    const list = async () =>
      readPayload<{ accounts: { id: string; issuer: string }[] }>(
        await browser.read("settings/v1/account.listCompanyAccounts"),
      ).accounts;
    const [link] = await list();
    expect(link?.issuer).toBe(issuer);
    const stranger = await openSignedInBrowser(server, await server.given.person());
    const remove = { accountId: link?.id };
    expect((await stranger.write("settings/v1/account.deleteCompanyAccount", remove)).status).toBe(404);
    readPayload(await browser.write("settings/v1/account.deleteCompanyAccount", remove));
    expect(await list()).toEqual([]);
  });

  test("joins the workspace that OIDC_WORKSPACE names, once, as a member", async () => {
    account = { sub: "new", email: "newcomer@example.com", email_verified: true, name: "Nora New" };
    const { userId } = (await whoIs(await signIn(open))) ?? { userId: "" };
    const [user] = await server.db.select().from(users).where(eq(users.id, userId));
    expect(user).toMatchObject({ email: "newcomer@example.com", name: "Nora New" });
    const [member] = await server.db.select().from(members).where(eq(members.userId, userId));
    expect(member).toMatchObject({ workspaceId, role: "member" });
    // Nobody created the account for them, so the audit log names them and not the operator.
    const log = await server.db
      .select()
      .from(auditLog)
      .where(eq(auditLog.object, userId))
      .orderBy(auditLog.id);
    expect(log.map(({ actor, action }) => [actor, action])).toEqual([
      [userId, "user.create"],
      [userId, "member.leave"],
      [userId, "member.join"],
    ]);
    expect(await whoIs(await signIn(open))).toMatchObject({ userId });
  });

  test("leads back to the requested page, and to no other site", async () => {
    const anna = await server.given.person();
    account = { sub: "pages", email: anna.email, email_verified: true, name: "Anna" };
    expect(getLastPath(await signIn(server, "?to=%2Fdevelopers%3Fa%3D1"))).toBe("/developers?a=1");
    for (const to of ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"])
      expect(getLastPath(await signIn(server, `?to=${encodeURIComponent(to)}`))).toBe("/meetings");
  });

  test("ends the session that the browser had", async () => {
    const [anna, ben] = [await server.given.person(), await server.given.person()];
    const before = await openSignedInBrowser(server, ben);
    const jar = new Jar();
    jar.keep(PUBLIC_URL, new Headers({ "set-cookie": before.cookie }));
    account = { sub: "switch", email: anna.email, email_verified: true, name: "Anna" };
    expect(await whoIs(await signIn(server, "", jar))).toMatchObject({ userId: anna.userId });
    expect((await before.read("settings/v1/account.get")).status).toBe(401);
  });
});

describe("an account whose maker never confirmed its address", () => {
  let anna: Person;
  let company: Company;
  beforeEach(async () => {
    company = await server.given.company();
    anna = await server.given.member(company);
    await server.db.update(users).set({ emailConfirmed: false }).where(eq(users.id, anna.userId));
    account = { sub: anna.userId, email: anna.email, email_verified: true, name: "Anna" };
  });
  const workspaceOf = async (visited: Visit) => (await whoIs(visited))?.workspaceId;

  test("is taken over by the owner of the address, who is asked to accept its workspace", async () => {
    const maker = await givePassword(server, anna);
    const visited = await signIn();
    expect(await whoIs(visited)).toMatchObject({ userId: anna.userId });
    expect(await workspaceOf(visited)).not.toBe(company.workspaceId);
    expect((await maker.read("settings/v1/account.get")).status).toBe(401);
    expect((await server.call(anna.key, "me/meetings.list")).status).toBe(401);
    const [path, token] = getLastPath(visited)?.split("#") ?? [];
    expect(path).toBe("/invitation");
    const owner = testBrowser(server);
    owner.cookie = visited.jar.header(PUBLIC_URL);
    readPayload(await owner.write("identity/v1/invitations.accept", { token }));
    expect(await workspaceOf(visited)).toBe(company.workspaceId);
    expect(getLastPath(await signIn())).toBe("/meetings");
  });

  test("is taken over by its owner even where the provider's account was linked before", async () => {
    await server.db
      .insert(companyAccounts)
      .values({ id: `acc_${anna.userId}`, userId: anna.userId, issuer, subject: anna.userId });
    const maker = await givePassword(server, anna);
    expect(await whoIs(await signIn())).toMatchObject({ userId: anna.userId });
    expect((await maker.read("settings/v1/account.get")).status).toBe(401);
    expect(getLastPath(await signIn())).toBe("/meetings");
  });

  test("is confirmed and loses nothing, where its own browser signs in", async () => {
    const jar = new Jar();
    const own = await openSignedInBrowser(server, anna);
    jar.keep(PUBLIC_URL, new Headers({ "set-cookie": own.cookie }));
    const visited = await signIn(server, "", jar);
    expect([getLastPath(visited), await workspaceOf(visited)]).toEqual(["/meetings", company.workspaceId]);
    expect((await server.call(anna.key, "me/meetings.list")).status).toBe(200);
    const [user] = await server.db.select().from(users).where(eq(users.id, anna.userId));
    expect(user?.emailConfirmed).toBe(true);
  });

  test("is not opened by an address that the provider did not verify", async () => {
    account.email_verified = false;
    expect(getLastPath(await signIn())).toBe("/sign-in?problem=unverified");
  });
});
