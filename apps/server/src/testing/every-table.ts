import { addTerm, holdMeeting, OPERATOR, setRetentionRule, type WebhookServices } from "@minutes/core";
import { type Database, schema } from "@minutes/db";
import {
  asUser,
  asWorkspace,
  type Company,
  createPersonalWebhook,
  createWorkspaceWebhook,
  givenOn,
  type Meeting,
  type Person,
} from "@minutes/testing";
import { sql } from "drizzle-orm";

/** The objects stored by `fillEveryTable`. */
export interface FilledDatabase {
  readonly company: Company;
  readonly anna: Person;
  readonly boris: Person;
  readonly meetings: readonly Meeting[];
  /** Anna's webhook, and its secret as displayed. */
  readonly webhook: { readonly id: string; readonly secret: string };
}

/** Returns a time with unique milliseconds. */
const instant = (milliseconds: number) => new Date(1_750_000_000_000 + milliseconds).toISOString();
const bytes = (text: string) => Buffer.from(`${text}\0\xff\\`, "latin1");

/** Stores a company with rows in every table of the schema, and with texts and bytes that are easily corrupted. */
export async function fillEveryTable(db: Database, settings: WebhookServices): Promise<FilledDatabase> {
  const given = givenOn(db);
  const company = await given.company({ name: 'Ünïcode "quoted", \\N {braces}' });
  const anna = await given.member(company, { name: "Anna Ö'Brien", email: "anna.canary@example.com" });
  const boris = await given.member(company, { name: "Boris" });
  const meetings: Meeting[] = [];
  for (let number = 0; number < 6; number++) {
    const owner = number % 2 ? anna : boris;
    const hasSpoken = { speakerId: "a", speakerName: anna.name, speakerEmail: anna.email };
    meetings.push(
      await given.richMeeting(owner, {
        title: `Turbines ${number}\n\ttab, "quotes" and \u{1f600}`,
        startTime: instant(number * 3_600_000 + number),
        endTime: instant(number * 3_600_000 + 1_800_000),
        transcript: [
          { ...hasSpoken, text: `The turbines number ${number} are late.`, start: 0.1 + number / 3, end: 5 },
          { speakerId: "b", speakerName: "Boris", text: "\\x00 is no byte. NULL, {1,2}", start: 6, end: 7 },
        ],
        tasks: [{ text: `Ask for turbine ${number}`, assignee: { name: anna.name, email: anna.email } }],
        tags: [{ name: `Tag ${number % 3}` }],
      }),
    );
  }
  const [first, second, gone] = meetings as [Meeting, Meeting, Meeting];
  await given.shared(first, anna);
  const tag = await given.tagged(second, "Shared tag");
  await given.tagShared(tag, boris);
  await given.ingestKey(company);
  await given.session(anna);
  await addTerm(db, asUser(anna.userId), { list: "personal", term: "Turbine" });
  const webhookFacts = { name: "Receiver", url: "https://127.0.0.1/in", method: "signature" } as const;
  const webhook = await createPersonalWebhook(db, settings, anna.userId, webhookFacts);
  await createWorkspaceWebhook(db, settings, company.admin.userId, webhookFacts);
  await fillRest(db, anna, company, webhook, settings);
  meetings.push(await given.richMeeting(anna, { startTime: instant(1), endTime: instant(60_000) }));
  await editOnce(db, first.meetingId, anna);
  await holdMeeting(db, OPERATOR, first.meetingId);
  await db
    .insert(schema.accessRequests)
    .values({ meetingId: first.meetingId, userId: company.admin.userId, ownerId: boris.userId });
  await db.insert(schema.summaryRequests).values({
    ...{ id: "sum_1", meetingId: first.meetingId, workspaceId: company.workspaceId, actor: boris.userId },
    ...{ origin: '{"name":"Sales","prompt":"\\n","language":null}', failed: true },
  });
  const address = settings.keyring?.encrypt("https://calendar.example.com/a.ics", anna.userId);
  await db.insert(schema.calendars).values({
    ...{ userId: anna.userId, host: "calendar.example.com", etag: '"1"', contentHash: bytes("events") },
    ...(address ?? { secret: bytes(""), secretKeyId: "" }),
  });
  await db.insert(schema.calendarEntries).values({
    ...{ userId: anna.userId, id: "cev_1", uid: "event", title: "Weekly", allDay: false, attendees: "[]" },
    ...{ startTime: instant(1), endTime: instant(60_000) },
  });
  await db.insert(schema.calendarLinks).values({ meetingId: first.meetingId });
  await db.insert(schema.publicLinks).values({
    ...{ id: "lnk_1", hash: bytes("public link"), workspaceId: company.workspaceId, scope: "summary" },
    ...{ meetingId: first.meetingId, masksNames: true, passwordHash: "$scrypt$ln=14,r=8,p=1$c2FsdA$aGFzaA" },
    expiresAt: "2099-01-01T00:00:00.001Z",
  });
  await setRetentionRule(db, asWorkspace(company.workspaceId), { tag: "Tag 1", days: 36_500 });
  await deliverOnce(db, first.meetingId, webhook.id, anna.email);
  await db.delete(schema.meetings).where(sql`id = ${gone.meetingId}`);
  return { company, anna, boris, meetings: meetings.filter((meeting) => meeting !== gone), webhook };
}

/** Stores a version of a meeting. */
async function editOnce(db: Database, meetingId: string, { userId, email }: Person): Promise<void> {
  const version = { meetingId, version: 2, at: instant(13) };
  await db.insert(schema.meetingVersions).values({
    ...{ ...version, actor: userId, action: "edit", fields: ["title", "participants"] },
  });
  await db.insert(schema.meetingVersionContents).values([
    { ...version, field: "title", content: JSON.stringify('An earlier "title", \\N') },
    {
      ...version,
      field: "participants",
      content: JSON.stringify([{ id: "a", position: 0, name: "A", email }]),
    },
  ]);
}

/** Records an event of a meeting, its delivery and a failed attempt. */
async function deliverOnce(db: Database, meetingId: string, webhookId: string, email: string): Promise<void> {
  const [event] = await db
    .insert(schema.webhookEvents)
    .values({ meetingId, event: "meeting.updated", data: JSON.stringify({ participants: [{ email }] }) })
    .returning({ id: schema.webhookEvents.id });
  const [delivery] = await db
    .insert(schema.deliveries)
    .values({
      webhookId,
      eventId: event?.id ?? null,
      meetingId,
      event: "meeting.updated",
      dueAt: instant(10),
    })
    .returning({ id: schema.deliveries.id });
  const deliveryId = delivery?.id ?? 0n;
  await db
    .insert(schema.attempts)
    .values({ deliveryId, number: 1, startedAt: instant(11), milliseconds: 7, error: "timeout" });
}

/** Fills the tables without factories. */
async function fillRest(
  db: Database,
  anna: Person,
  company: Company,
  webhook: { id: string },
  settings: WebhookServices,
): Promise<void> {
  const { userId } = anna;
  const expiresAt = "2099-01-01T00:00:00.001Z";
  await db.insert(schema.syncWaits).values({ until: instant(12) });
  const personId = "per_known";
  await db.insert(schema.people).values({ id: personId, workspaceId: company.workspaceId, name: "Known" });
  await db
    .insert(schema.personEmails)
    .values({ workspaceId: company.workspaceId, email: "known@example.com", personId });
  await db.execute(sql`insert into people_work (meeting_id) select id from meetings`);
  await db.insert(schema.passwords).values({ userId, hash: "$scrypt$ln=14,r=8,p=1$c2FsdA$aGFzaA" });
  await db.insert(schema.oneTimeLinks).values({ hash: bytes("link"), purpose: "sign-in", userId, expiresAt });
  await db
    .insert(schema.signInAttempts)
    .values({ key: "address:192.0.2.1", failures: 3, blockedUntil: instant(5), lastAt: instant(6) });
  await db.insert(schema.knownBrowsers).values({ hash: bytes("browser"), userId, expiresAt });
  await db.insert(schema.passkeys).values({
    ...{ id: "pk_1", userId, credentialId: bytes("credential"), publicKey: bytes("public") },
    ...{ counter: 2 ** 40, name: "Laptop" },
  });
  await db
    .insert(schema.signInChallenges)
    .values({ hash: bytes("challenge"), purpose: "passkey-add", userId, expiresAt });
  await db
    .insert(schema.companyAccounts)
    .values({ id: "ca_1", userId, issuer: "https://login.example.com", subject: "4711" });
  await db.insert(schema.oauthClients).values({ id: "client", metadata: '{"client_name":"App"}', expiresAt });
  await db.insert(schema.oauthGrants).values({
    ...{ id: "app_1", userId, workspaceId: company.workspaceId, clientId: "client", clientName: "App" },
    ...{
      clientHost: "app.example.net",
      resource: "https://minutes.example.com/mcp",
      scopes: "meetings:read",
      expiresAt,
    },
  });
  await db.insert(schema.oauthTokens).values({
    hash: bytes("token"),
    kind: "AccessToken",
    grantId: "app_1",
    payload: "{}",
    scopes: "",
    expiresAt,
  });
  await db.insert(schema.invitations).values({
    ...{ id: "inv_1", hash: bytes("invitation"), workspaceId: company.workspaceId },
    ...{ email: "new@example.com", role: "member", createdBy: userId, expiresAt },
  });
  await db
    .insert(schema.recordings)
    .values({ id: "rec_unfinished", workspaceId: company.workspaceId, state: "processing" });
  await db
    .insert(schema.erasedRecordings)
    .values({ workspaceId: company.workspaceId, hash: bytes("erased") });
  await db.insert(schema.recordingDrafts).values({
    recordingId: "rec_unfinished",
    userId,
    content: JSON.stringify({ title: "Unfinished", transcript: [{ speakerName: "Boris" }] }),
    dueAt: instant(7),
  });
  await db.execute(sql`insert into credit_charges (recording_id, user_id, month)
    values ('rec_unfinished', ${userId}, '2026-02-01') on conflict do nothing`);
  await db
    .insert(schema.rateWindows)
    .values({ scope: `personal:${userId}`, startedAt: instant(8), count: 7 });
  await db.insert(schema.idempotencyKeys).values({
    ...{ hash: bytes("idempotency"), userId, fingerprint: bytes("fingerprint"), claim: "claim" },
    ...{ answer: '{"id":"key_x"}', leasedUntil: instant(9), expiresAt },
  });
  await db.insert(schema.requestCounts).values({ scope: `personal:${userId}`, minute: instant(9), count: 8 });
  await db.execute(sql`insert into search_windows (document, position, chunk, vector)
    select document, 0, 0, '[0.1,-2.5,3e-5]'::search_vector from search_documents`);
  await db.execute(sql`update search_documents set space = 'test:3'`);
  await db.insert(schema.syncRemovals).values({
    ...{ scope: `user:${userId}`, type: "tag", id: "tag_gone", changedIn: 9, deleted: true },
    visible: "{[1,5),[8,)}",
  });
  const { secret, secretKeyId } = settings.keyring?.encrypt("an old secret", webhook.id) ?? {
    secret: bytes(""),
    secretKeyId: "",
  };
  await db.insert(schema.transcriptions).values({
    ...{ id: "trn_waiting", userId, workspaceId: company.workspaceId, uploader: '{"kind":"user"}' },
    ...{ name: "call.wav", size: 9, modifiedAt: instant(14), secretKeyId, fileKey: secret, expiresAt },
  });
  const audio = settings.keyring?.encrypt("a file's key", "aud_1") ?? { secret: bytes(""), secretKeyId: "" };
  await db.insert(schema.keptAudio).values({
    ...{ id: "aud_1", meetingId: "rec_unfinished", userId, workspaceId: company.workspaceId, format: "mp3" },
    ...{
      size: 9,
      seconds: 0.5,
      fileKey: audio.secret,
      secretKeyId: audio.secretKeyId,
      ready: true,
      expiresAt,
    },
  });
  await db.insert(schema.summaryInstructions).values({
    ...{ id: "ins_1", userId, name: "Sales", prompt: 'Objections "first".\n\t\\N Ö', language: "de" },
    ...{ tag: "Tag 1", word: "sale", isDefault: true },
  });
  await db.insert(schema.digestSubscriptions).values({ userId, kind: "week" });
  await db
    .insert(schema.digests)
    .values({ userId, kind: "week", week: "2026-11-30", tokenHash: bytes("unsubscribe"), expiresAt });
  await db.insert(schema.webhookOldSecrets).values({ webhookId: webhook.id, secret, secretKeyId, expiresAt });
}
