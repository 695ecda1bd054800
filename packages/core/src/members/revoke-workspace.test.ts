import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { readPayload } from "@minutes/testing";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSignInToken } from "../sign-in/index.js";

const { auditLog, invitations, oneTimeLinks, passwords } = schema;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

test("200: an admin revokes keys, ingest keys, sessions and links of the workspace, and of no other", async () => {
  const [company, other] = [await server.given.company(), await server.given.company()];
  const anna = await server.given.member(company);
  const stranger = await server.given.member(other);
  const recorder = await server.given.ingestKey(company);
  const session = await server.given.session(anna);
  const admin = await server.given.session(company.admin);
  const outside = await server.given.session(stranger);
  await server.db.insert(passwords).values({ userId: anna.userId, hash: "kept" });
  await createSignInToken(server.db, anna.userId);
  await createSignInToken(server.db, stranger.userId);
  expect((await server.call(admin, "settings/invitations.create", { role: "member" })).status).toBe(200);

  const meeting = await server.given.meeting(anna);
  await server.call(admin, "settings/publicLinks.allow", { allowed: true });
  const link = await server.call(session, "settings/publicLinks.create", { meetingId: meeting.meetingId });
  expect(link.status).toBe(200);

  const use = async () => [
    (await server.call(anna.key, "me/meetings.list")).status,
    (await server.call(company.key, "workspace/meetings.list")).status,
    (await server.call(recorder, "ingest/vocabulary.get", { ownerEmail: anna.email })).status,
    (await server.call(session, "settings/members.list")).status,
    (await server.call(admin, "settings/members.list")).status,
  ];
  expect(await use()).toEqual([200, 200, 200, 200, 200]);
  const refused = await server.call(session, "settings/workspaces.revokeCredentials", {});
  expect(refused).toMatchObject({ status: 403, body: { error: "Only a workspace admin can do this." } });
  expect(await use()).toEqual([200, 200, 200, 200, 200]);

  const answer = await server.call(admin, "settings/workspaces.revokeCredentials", {});
  // Keys of the company, its admin and Anna; an invitation and a link.
  expect(readPayload(answer)).toEqual({
    keys: 3,
    ingestKeys: 1,
    sessions: 2,
    links: 2,
    apps: 0,
    publicLinks: 1,
  });
  expect(await use()).toEqual([401, 401, 401, 401, 401]);
  expect(await server.db.$count(invitations, eq(invitations.workspaceId, company.workspaceId))).toBe(0);
  expect(await server.db.$count(oneTimeLinks, eq(oneTimeLinks.userId, anna.userId))).toBe(0);
  // Passwords stay: they have not leaked.
  expect(await server.db.$count(passwords, eq(passwords.userId, anna.userId))).toBe(1);

  expect((await server.call(stranger.key, "me/meetings.list")).status).toBe(200);
  expect((await server.call(other.key, "workspace/meetings.list")).status).toBe(200);
  expect((await server.call(outside, "settings/members.list")).status).toBe(200);
  expect(await server.db.$count(oneTimeLinks, eq(oneTimeLinks.userId, stranger.userId))).toBe(1);

  const entries = await server.db
    .select({ actor: auditLog.actor, action: auditLog.action })
    .from(auditLog)
    .where(eq(auditLog.object, company.workspaceId));
  expect(entries).toContainEqual({ actor: company.admin.userId, action: "workspace.revoke-credentials" });
});
