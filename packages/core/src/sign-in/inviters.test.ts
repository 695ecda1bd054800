import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import {
  type Company,
  openSignedInBrowser,
  type Person,
  readPayload,
  type TestBrowser,
  testBrowser,
} from "@minutes/testing";
import { asc, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { OPERATOR } from "../access/actor.js";
import { eraseUser, joinWorkspace } from "../workspaces/index.js";

const { auditLog, invitations, members } = schema;

let server: TestServer;
let company: Company;
let first: TestBrowser;
/** A second admin, who invites. */
let boris: Person;
let second: TestBrowser;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server?.close());
beforeEach(async () => {
  company = await server.given.company();
  first = await openSignedInBrowser(server, company.admin);
  boris = await server.given.member(company);
  await setRole("admin");
  second = await openSignedInBrowser(server, boris);
});

const setRole = async (role: string, more: object = {}) =>
  readPayload(await first.write("settings/v1/members.setRole", { userId: boris.userId, role, ...more }));
const remove = async (more: object = {}) =>
  readPayload(await first.write("settings/v1/members.remove", { userId: boris.userId, ...more }));
const invite = async (input: object = {}) =>
  readPayload<{ id: string; link: string }>(
    await second.write("settings/v1/invitations.create", { role: "admin", ...input }),
  );
const accept = async (link: string, browser = testBrowser(server)) =>
  (await browser.write("identity/v1/invitations.accept", { token: link.split("#")[1] })).status;
const readLog = (id: string) =>
  server.db.select().from(auditLog).where(eq(auditLog.object, id)).orderBy(asc(auditLog.id));
const isStored = async (id: string) =>
  (await server.db.select().from(invitations).where(eq(invitations.id, id))).length > 0;

describe("an open invitation ends, and its revocation is in the audit log,", () => {
  test.each([
    ["removed", () => remove()],
    ["removed with their credentials", () => remove({ revokeCredentials: true })],
    ["demoted", () => setRole("member")],
    [
      "moved to another workspace by the operator",
      async () =>
        joinWorkspace(server.db, OPERATOR, boris.userId, (await server.given.company()).workspaceId),
    ],
    [
      "demoted by the operator",
      () => joinWorkspace(server.db, OPERATOR, boris.userId, company.workspaceId, "member"),
    ],
    ["erased", () => eraseUser(server.db, OPERATOR, boris.userId)],
  ])("when the inviting admin is %s", async (_how, lose) => {
    const { id, link } = await invite();
    await lose();
    expect(await isStored(id)).toBe(false);
    const again = await openSignedInBrowser(server, await server.given.person());
    expect(await accept(link, again)).toBe(401);
    const log = await readLog(id);
    expect(log.map(({ action, shownIn }) => [action, shownIn])).toEqual([
      ["invitation.create", company.workspaceId],
      ["invitation.revoke", company.workspaceId],
    ]);
  });

  test("so that a removed admin can't return with their own invitation", async () => {
    const { link } = await invite();
    await remove({ revokeCredentials: true });
    expect(await accept(link, await openSignedInBrowser(server, boris))).toBe(401);
  });
});

test("401: an invitation left behind by a former admin, which admins don't see", async () => {
  const { link } = await invite();
  // Changes the role as a process of an earlier version does.
  await server.db.update(members).set({ role: "member" }).where(eq(members.userId, boris.userId));
  const visitor = await openSignedInBrowser(server, await server.given.person());
  const token = link.split("#")[1];
  expect((await visitor.write("identity/v1/invitations.get", { token })).status).toBe(401);
  expect(await accept(link, visitor)).toBe(401);
  expect(readPayload(await first.read("settings/v1/invitations.list"))).toEqual({ invitations: [] });
  await server.db.update(members).set({ role: "admin" }).where(eq(members.userId, boris.userId));
  expect(await accept(link, visitor)).toBe(200);
});

test("an admin who is removed while inviting leaves no invitation behind", async () => {
  const inviting = Array.from({ length: 6 }, () =>
    second.write("settings/v1/invitations.create", { role: "admin" }),
  );
  await Promise.all([...inviting, remove()]);
  const left = await server.db.select().from(invitations).where(eq(invitations.createdBy, boris.userId));
  // An invitation to their own workspace, where they are again, is fine.
  expect(left.filter(({ workspaceId }) => workspaceId === company.workspaceId)).toEqual([]);
});

test("members.credentials lists the open invitations of a member", async () => {
  const [bound, open] = [await invite({ email: "New@Example.com" }), await invite()];
  const listed = await first.read("settings/v1/members.credentials", { userId: boris.userId });
  expect(readPayload(listed)).toEqual({
    credentials: [
      { kind: "invitation", id: bound.id, name: "new@example.com" },
      { kind: "invitation", id: open.id, name: "anybody with the link" },
    ],
  });
});
