import { createKeyring } from "@minutes/core";
import { AudioFiles } from "@minutes/core/transcriptions";
import { schema } from "@minutes/db";
import { type Company, type Person, readPayload } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import type { TestServer } from "../index.js";
import type { Foreign } from "./inputs.js";

/** A company with a member, Anna, who has one object of every kind. */
export interface Tenant {
  readonly company: Company;
  readonly companyName: string;
  readonly anna: Person;
  /** A credential of the company's recorders. */
  readonly ingestKey: string;
  /** Identifies its rows: ids, and the company's name, but no workspace ids. */
  readonly ids: readonly string[];
  readonly foreign: Foreign;
  /** Occurs in every text of Anna's meetings and in the names of objects that only she can see, but in no input. */
  readonly canary: string;
}

/** These tests never call webhook receivers. */
const URL_OF_WEBHOOK = "https://127.0.0.1:9/";

/** Kept audio of tenants, which is never read. */
export const TENANT_AUDIO = {
  keyring: createKeyring([Buffer.alloc(32, 5)]),
  files: Object.assign(new AudioFiles("/nowhere", "aud"), { has: async () => true }),
};

let tenants = 0;

/** Stores a tenant, through ordinary calls where possible. */
export async function createTenant(server: TestServer): Promise<Tenant> {
  const { given, db } = server;
  const canary = `canary${++tenants}x`;
  const companyName = `Company number ${tenants}.`;
  const company = await given.company({ name: companyName });
  const anna = await given.member(company, { email: `anna-${tenants}@example.com` });
  // An account that was created in its workspace, as `users create` and an accepted invitation make it.
  await db.insert(schema.auditLog).values({
    ...{ actor: company.admin.userId, action: "member.join", object: anna.userId },
    ...{
      workspaceId: company.workspaceId,
      shownIn: company.workspaceId,
      at: sql`(select u.created_at from ${schema.users} u where u.id = ${anna.userId})`,
    },
  });
  const [admin, own] = [await given.session(company.admin), await given.session(anna)];
  const create = async (token: string, procedure: string, input: object) =>
    readPayload<Record<string, string>>(await server.call(token, `settings/${procedure}`, input));

  const meeting = await given.richMeeting(anna, {
    ...{ externalId: `external-${tenants}`, title: canary, generatedTitle: canary },
    ...{ summary: { markdown: canary, short: canary }, tags: [{ name: canary }] },
    transcript: ["s1", "s2", "s1"].map((speakerId) => ({
      ...{ speakerId, speakerName: canary, speakerEmail: `${speakerId}-${tenants}@example.com` },
      text: `${canary} turbines`,
    })),
    tasks: [{ text: canary, assignee: { name: canary } }],
  });
  const tagId = await given.tagged(meeting, canary);
  const webhook = { name: canary, url: URL_OF_WEBHOOK };
  const annas = await create(own, "webhooks.create", { kind: "personal", ...webhook });
  const workspaces = { kind: "workspace", name: "Hook", url: URL_OF_WEBHOOK };
  const companys = await create(admin, "webhooks.create", workspaces);
  const deliveryIds = [];
  for (const [token, made] of [
    [own, annas],
    [admin, companys],
  ] as const) {
    await create(token, "webhooks.test", { webhookId: made.id });
    const log = await server.call(token, "settings/webhooks.deliveries", { webhookId: made.id });
    deliveryIds.push(readPayload<{ deliveries: { id: string }[] }>(log).deliveries[0]?.id ?? "");
  }
  const recorder = await create(admin, "keys.create", { kind: "ingest", name: "Recorder" });
  const invitation = await create(admin, "invitations.create", { role: "member" });
  const ingestKey = recorder.key ?? "";
  const rule = await create(admin, "retention.set", { tag: `Tag ${tenants}`, days: 36_500 });
  await create(own, "retention.hold", { meetingId: meeting.meetingId });
  await create(admin, "publicLinks.allow", { allowed: true });
  const link = await create(own, "publicLinks.create", { meetingId: meeting.meetingId });
  const started = await server.call(ingestKey, "ingest/recordings.start", {
    ...{ ownerEmail: anna.email, externalId: `recording-${tenants}`, title: canary },
    startTime: "2026-01-01T10:00:00Z",
  });
  const recordingId = readPayload<{ meetingId: string }>(started).meetingId;
  const ownInstruction = await create(own, "instructions.create", {
    ...{ list: "personal", name: canary, prompt: canary, tag: canary, word: canary },
  });
  const teamInstruction = await create(admin, "instructions.create", { list: "team", name: "Minutes" });
  await create(own, "vocabulary.add", { list: "personal", term: "Turbine" });
  const [passkeyId, accountId] = [`pk_${canary}`, `acc_${canary}`];
  await db.insert(schema.passkeys).values({
    ...{ id: passkeyId, userId: anna.userId, credentialId: Buffer.from(canary), counter: 0 },
    ...{ publicKey: Buffer.from(canary), name: canary },
  });
  await db
    .insert(schema.companyAccounts)
    .values({ id: accountId, userId: anna.userId, issuer: "https://login.example.com", subject: canary });
  const appId = `app_${canary}`;
  await db.insert(schema.oauthGrants).values({
    ...{ id: appId, userId: anna.userId, workspaceId: company.workspaceId, clientId: canary },
    ...{ clientName: canary, clientHost: canary, resource: canary, scopes: "meetings:read" },
    expiresAt: "2099-01-01T00:00:00.000Z",
  });
  const transcriptionId = `trn_${canary}`;
  const uploader = { kind: "recorder", via: { kind: "key", keyId: recorder.id ?? recorder.keyId } };
  await db.insert(schema.transcriptions).values({
    ...{ id: transcriptionId, userId: anna.userId, workspaceId: company.workspaceId, name: canary },
    ...{
      uploader: JSON.stringify(uploader),
      size: 9,
      modifiedAt: "2026-01-01T10:00:00.000Z",
      secretKeyId: "",
    },
    expiresAt: "2099-01-01T00:00:00.000Z",
  });
  const audio = TENANT_AUDIO.keyring.encrypt(Buffer.alloc(32).toString("base64"), `aud_${canary}`);
  await db.insert(schema.keptAudio).values({
    ...{ id: `aud_${canary}`, meetingId: meeting.meetingId, userId: anna.userId, ready: true, size: 9 },
    ...{ workspaceId: company.workspaceId, format: "mp3", fileKey: audio.secret },
    ...{ secretKeyId: audio.secretKeyId, expiresAt: "2099-01-01T00:00:00.000Z" },
  });
  const eventId = `cev_${canary}`;
  await db.insert(schema.calendars).values({
    ...{ userId: anna.userId, secret: Buffer.from(canary), secretKeyId: "", host: canary },
    dueAt: "2099-01-01T00:00:00.000Z",
  });
  await db.insert(schema.calendarEntries).values({
    ...{ userId: anna.userId, id: eventId, uid: canary, title: canary, allDay: false, attendees: "[]" },
    ...{ startTime: "2099-01-01T10:00:00.000Z", endTime: "2099-01-01T11:00:00.000Z" },
  });
  const { sessions } = readPayload<{ sessions: { id: string }[] }>(
    await server.call(own, "settings/account.listSessions"),
  );
  const { nextCursor } = readPayload<{ nextCursor: string }>(
    await server.call(anna.key, "sync/me/changes.list"),
  );

  const [participant, other] = await db
    .select({ personId: schema.participants.personId })
    .from(schema.participants)
    .where(eq(schema.participants.meetingId, meeting.meetingId))
    .orderBy(schema.participants.position);
  const single = {
    ...{ meetingId: meeting.meetingId, taskId: meeting.taskIds[0] ?? "", tagId, recordingId },
    ...{ transcriptionId, eventId },
    ...{ personId: participant?.personId ?? "", intoId: other?.personId ?? "" },
    ...{ invitationId: invitation.id ?? "", sessionId: sessions[0]?.id ?? "", passkeyId, accountId, appId },
    ...{ ruleId: rule.id ?? "", linkId: link.id ?? "" },
  };
  const foreign = {
    ...Object.fromEntries(Object.entries(single).map(([field, value]) => [field, [value]])),
    meetingId: [meeting.meetingId, recordingId],
    userId: [anna.userId, company.admin.userId],
    keyId: [anna.keyId, company.keyId, recorder.id ?? recorder.keyId],
    instructionId: [ownInstruction.id, teamInstruction.id],
    webhookId: [annas.id, companys.id],
    deliveryId: deliveryIds,
    externalId: [`external-${tenants}`, `recording-${tenants}`],
    email: [anna.email],
    userEmail: [anna.email],
    ownerEmail: [anna.email],
    object: [meeting.meetingId],
    actor: [anna.userId],
    person: [anna.name],
    query: ["turbines"],
    tag: [`Tag ${tenants}`],
    token: [ingestKey],
    cursor: [nextCursor],
    meetings: [
      [
        {
          externalId: `external-${tenants}`,
          ownerEmail: anna.email,
          title: "x",
          startTime: "2026-01-01T10:00:00Z",
        },
      ],
    ],
  };
  const ids = [
    ...Object.values(single),
    ...foreign.userId,
    ...foreign.keyId.map(String),
    ...foreign.instructionId.map(String),
    ...foreign.webhookId.map(String),
    companyName,
  ];
  return { company, companyName, anna, ingestKey, ids, foreign, canary };
}
