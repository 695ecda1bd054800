import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import {
  type Company,
  createWebhookScene,
  openSignedInBrowser,
  type Person,
  readPayload,
  type TestBrowser,
  type WebhookScene,
  waitFor,
} from "@minutes/testing";
import type { AnyTRPCProcedure } from "@trpc/server";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accountRouter, OPERATOR } from "../index.js";
import { joinWorkspace } from "../workspaces/index.js";

let scene: WebhookScene;
let server: TestServer;
let company: Company;
let victim: Person;
let admin: TestBrowser;
let member: TestBrowser;
/** Ids of the company's objects, and one-time secrets shown to an admin. */
const ids = {
  key: "",
  ingestKey: "",
  webhook: "",
  delivery: "",
  rule: "",
  invitation: "",
  recording: "",
  meeting: "",
  link: "",
  instruction: "",
};
const secrets: string[] = [];

const procedures = accountRouter._def.procedures as unknown as Record<string, AnyTRPCProcedure>;
const ALWAYS = { from: "2020-01-01T00:00:00Z", to: "2999-01-01T00:00:00Z" };
const URL_OF_WEBHOOK = "https://127.0.0.1:9/";

beforeAll(async () => {
  scene = await createWebhookScene();
  server = await startTestServer({ database: scene.database, webhooks: scene.settings });
  company = await server.given.company();
  victim = await server.given.member(company, { name: "Victim" });
  admin = await openSignedInBrowser(server, company.admin);
  member = await openSignedInBrowser(server, await server.given.member(company));
  const create = async (procedure: string, input: object) => {
    const made = readPayload<Record<string, string>>(await admin.write(`settings/v1/${procedure}`, input));
    secrets.push(
      ...[made.key, made.secret, made.link?.split("#")[1], made.url?.split("/s/")[1]].filter(
        (text) => text !== undefined,
      ),
    );
    return made.id ?? made.keyId ?? "";
  };
  ids.key = await create("keys.create", { kind: "workspace", name: "Key" });
  ids.ingestKey = await create("keys.create", { kind: "ingest", name: "Recorder" });
  await create("keys.create", { kind: "personal", name: "Own" });
  const webhook = { kind: "workspace", name: "Hook", url: URL_OF_WEBHOOK };
  ids.webhook = await create("webhooks.create", webhook);
  await create("webhooks.create", { ...webhook, kind: "personal", method: "api-key" });
  ids.rule = await create("retention.set", { days: 36_500 });
  ids.instruction = await create("instructions.create", { list: "team", name: "Long" });
  ids.invitation = await create("invitations.create", { role: "member" });
  readPayload(await admin.write("settings/v1/webhooks.test", { webhookId: ids.webhook }));
  const log = readPayload<{ deliveries: { id: string }[] }>(
    await admin.read("settings/v1/webhooks.deliveries", { webhookId: ids.webhook }),
  );
  ids.delivery = log.deliveries[0]?.id ?? "";
  const recorder = secrets.find((secret) => secret.startsWith("ik_")) ?? "";
  const started = await server.call(recorder, "ingest/recordings.start", {
    ownerEmail: company.admin.email,
    externalId: "one",
    title: "Secret plans",
    startTime: new Date().toISOString(),
  });
  ids.recording = readPayload<{ meetingId: string }>(started).meetingId;
  ids.meeting = (await server.given.meeting(company.admin)).meetingId;
  await create("publicLinks.allow", { allowed: true });
  ids.link = await create("publicLinks.create", { meetingId: ids.meeting });
  // Written in the background; the tests compare rows.
  const found = eq(schema.auditLog.action, "ingest-key.new-network");
  await waitFor(async () => expect(await server.db.$count(schema.auditLog, found)).toBe(1));
});
afterAll(async () => {
  await server?.close();
  await scene?.close();
});

const call = (browser: TestBrowser, name: string, input: object) =>
  procedures[name]?._def.type === "query"
    ? browser.read(`settings/v1/${name}`, input)
    : browser.write(`settings/v1/${name}`, input);

/** Procedures for admins only, or for workspace objects, with an input that works for an admin. */
const ADMIN_CALLS: Readonly<Record<string, () => object>> = {
  "audit.list": () => ({}),
  "invitations.list": () => ({}),
  "invitations.create": () => ({ role: "admin" }),
  "invitations.revoke": () => ({ invitationId: ids.invitation }),
  "keptAudio.set": () => ({ days: 30 }),
  "keys.create": () => ({ kind: "workspace", name: "More" }),
  "keys.listWorkspace": () => ({}),
  "keys.regenerate": () => ({ keyId: ids.key }),
  "keys.disable": () => ({ keyId: ids.key }),
  "keys.enable": () => ({ keyId: ids.key }),
  "keys.revoke": () => ({ keyId: ids.key }),
  "keys.get": () => ({ keyId: ids.ingestKey }),
  "keys.update": () => ({ keyId: ids.ingestKey, name: "Stolen" }),
  "members.createSignInLink": () => ({ userId: victim.userId }),
  "members.credentials": () => ({ userId: victim.userId }),
  "members.previewRemoval": () => ({ userId: victim.userId }),
  "members.remove": () => ({ userId: victim.userId, revokeCredentials: true }),
  "members.setRole": () => ({ userId: victim.userId, role: "admin" }),
  "members.signOut": () => ({ userId: victim.userId }),
  "publicLinks.allow": () => ({ allowed: false }),
  "publicLinks.create": () => ({ meetingId: ids.meeting }),
  "publicLinks.list": () => ({ meetingId: ids.meeting }),
  "publicLinks.listWorkspace": () => ({}),
  "publicLinks.revoke": () => ({ linkId: ids.link }),
  "recordings.delete": () => ({ recordingId: ids.recording }),
  "recordings.listWorkspace": () => ({}),
  "retention.list": () => ({}),
  "retention.preview": () => ({}),
  "retention.set": () => ({ days: 36_500 }),
  "retention.delete": () => ({ ruleId: ids.rule }),
  "instructions.create": () => ({ list: "team", name: "Short" }),
  "instructions.update": () => ({ instructionId: ids.instruction, isDefault: true }),
  "instructions.delete": () => ({ instructionId: ids.instruction }),
  "vocabulary.add": () => ({ list: "team", term: "Term" }),
  "vocabulary.remove": () => ({ list: "team", term: "Term" }),
  "webhooks.create": () => ({ kind: "workspace", name: "More", url: URL_OF_WEBHOOK }),
  "webhooks.update": () => ({ webhookId: ids.webhook, name: "Changed" }),
  "webhooks.regenerate": () => ({ webhookId: ids.webhook }),
  "webhooks.disable": () => ({ webhookId: ids.webhook }),
  "webhooks.enable": () => ({ webhookId: ids.webhook }),
  "webhooks.resume": () => ({ webhookId: ids.webhook, replay: true }),
  "webhooks.test": () => ({ webhookId: ids.webhook }),
  "webhooks.redeliver": () => ({ deliveryId: ids.delivery }),
  "webhooks.redeliverFailed": () => ({ webhookId: ids.webhook, ...ALWAYS }),
  "webhooks.delete": () => ({ webhookId: ids.webhook }),
  "workspaces.revokeCredentials": () => ({}),
};

/** Procedures for every member: they read what all members see, or concern the caller's own objects. */
const MEMBER_CALLS: readonly string[] = [
  "accessRequests.create",
  "accessRequests.dismiss",
  "accessRequests.list",
  "account.createPasskey",
  "account.createPasskeyOptions",
  "account.deleteApp",
  "account.deleteCompanyAccount",
  "account.deletePasskey",
  "account.endAllSessions",
  "account.endSession",
  "account.get",
  "account.listApps",
  "account.listCompanyAccounts",
  "account.listPasskeys",
  "account.listSessions",
  "account.setPassword",
  "account.update",
  "calendar.delete",
  "calendar.get",
  "calendar.refresh",
  "calendar.set",
  "calendar.unlink",
  "digests.get",
  "digests.update",
  "instructions.list",
  "keptAudio.get",
  "keys.list",
  "meetings.share",
  "meetings.tag",
  "meetings.unshare",
  "meetings.untag",
  "members.list",
  "plan.get",
  "plan.usage",
  "recordings.list",
  "retention.getHold",
  "retention.hold",
  "retention.release",
  "shares.list",
  "shares.readers",
  "tags.create",
  "tags.delete",
  "tags.get",
  "tags.list",
  "tags.share",
  "tags.unshare",
  "tags.update",
  "vocabulary.list",
  "webhooks.deliveries",
  "webhooks.delivery",
  "webhooks.get",
  "webhooks.list",
  "webhooks.request",
];

/** Returns a digest of every row a call could change; counting a call changes only `rate_windows`. */
async function readState(): Promise<unknown> {
  const tables = await server.db
    .select({ name: sql<string>`tablename` })
    .from(
      sql`pg_tables where schemaname = 'public' and tablename not in ('rate_windows') order by tablename`,
    );
  const digests: [string, unknown][] = [];
  for (const { name } of tables) {
    const [row] = await server.db
      .select({ digest: sql<string>`md5(coalesce(string_agg(r::text, '' order by r::text), ''))` })
      .from(sql`${sql.identifier(name)} r`);
    digests.push([name, row?.digest]);
  }
  return digests;
}

describe("a member who calls an admin procedure", () => {
  test("every procedure of the router is tried or listed here", () => {
    const named = [...Object.keys(ADMIN_CALLS), ...MEMBER_CALLS];
    expect(named.toSorted()).toEqual(Object.keys(procedures).toSorted());
  });

  test("403 for each of them, 404 for another's recording, a rule and a link, and nothing changes", async () => {
    const before = await readState();
    const answers: Record<string, number> = {};
    for (const [name, input] of Object.entries(ADMIN_CALLS))
      answers[name] = (await call(member, name, input())).status;
    // A 404 does not reveal whether somebody else has a recording.
    const refused = (name: string) =>
      ["publicLinks.revoke", "recordings.delete", "retention.delete"].includes(name) ? 404 : 403;
    const expected = Object.keys(ADMIN_CALLS).map((name) => [name, refused(name)]);
    expect(answers).toEqual(Object.fromEntries(expected));
    expect(await readState()).toEqual(before);
  });
});

test("a one-time secret is in no later answer: keys, webhooks, invitations, links", async () => {
  expect(secrets).toHaveLength(7);
  const meeting = await server.given.meeting(company.admin);
  const { meetingId } = meeting;
  const tagId = await server.given.tagged(meeting, "Secrets");
  const inputs: Readonly<Record<string, object>> = {
    "keys.get": { keyId: ids.key },
    "members.credentials": { userId: company.admin.userId },
    "members.previewRemoval": { userId: company.admin.userId },
    "publicLinks.list": { meetingId: ids.meeting },
    "retention.getHold": { meetingId },
    "shares.list": { meetingId },
    "shares.readers": { meetingId },
    "tags.get": { tagId },
    "webhooks.deliveries": { webhookId: ids.webhook },
    "webhooks.delivery": { deliveryId: ids.delivery },
    "webhooks.request": { deliveryId: ids.delivery },
    "webhooks.get": { webhookId: ids.webhook },
  };
  const reads = Object.keys(procedures).filter((name) => procedures[name]?._def.type === "query");
  expect(reads.length).toBeGreaterThan(12);
  for (const name of reads) {
    const { status, text } = await call(admin, name, inputs[name] ?? {});
    expect([name, status]).toEqual([name, 200]);
    for (const secret of secrets) expect(text).not.toContain(secret);
  }
  const log = server.log.join("\n");
  for (const secret of secrets) expect(log).not.toContain(secret);
});

test("a user who is moved sees nothing of the workspace in the next call", async () => {
  const moved = await server.given.member(company);
  const { meetingId } = await server.given.meeting(moved, { title: "Of the company" });
  await server.given.meetingSharedDirectly(company.admin, moved, { title: "Shared with them" });
  const browser = await openSignedInBrowser(server, moved);
  const titles = async () =>
    readPayload<{ meetings: { title: string }[] }>(
      await browser.read("console/v1/meetings.list"),
    ).meetings.map(({ title }) => title);
  expect(await titles()).toContain("Shared with them");
  const other = await server.given.company();
  await joinWorkspace(server.db, OPERATOR, moved.userId, other.workspaceId);
  expect(await titles()).toEqual(["Of the company"]);
  const { members } = readPayload<{ members: { email: string }[] }>(
    await browser.read("settings/v1/members.list"),
  );
  expect(members.map(({ email }) => email)).not.toContain(company.admin.email);
  expect((await browser.read("settings/v1/webhooks.get", { webhookId: ids.webhook })).status).toBe(404);
  expect((await admin.read("console/v1/meetings.get", { meetingId })).status).toBe(403);
});
