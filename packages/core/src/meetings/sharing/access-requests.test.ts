import { LIMITS } from "@minutes/contract";
import { schema } from "@minutes/db";
import {
  asUser,
  type Inbox,
  type Meeting,
  openInbox,
  openTestApi,
  type Person,
  type TestApi,
} from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { OPERATOR } from "../../access/actor.js";
import type { ApiError } from "../../lib/errors.js";
import { createSmtpMailer } from "../../lib/mailer.js";
import { purgeExpired } from "../../lib/purge-expired.js";
import { eraseUser, leaveWorkspace } from "../../workspaces/index.js";
import { deleteMeeting } from "../index.js";
import { createAccessRequest, dismissAccessRequest, listAccessRequests } from "./access-requests.js";
import { sendAccessRequestMails } from "./mail-requests.js";
import { shareMeeting } from "./share.js";

const { accessRequests, auditLog, rateWindows, users } = schema;

let api: TestApi;
let inbox: Inbox;
/** The owner. */
let anna: Person;
/** A member of the same workspace. */
let ben: Person;
let meeting: Meeting;
beforeAll(async () => {
  api = await openTestApi();
  inbox = await openInbox();
});
beforeEach(async () => {
  await api.db.delete(accessRequests);
  inbox.mails.length = 0;
  const company = await api.given.company();
  [anna, ben] = [await api.given.member(company), await api.given.member(company)];
  meeting = await api.given.meeting(anna, { title: "Layoffs" });
});
afterAll(async () => {
  await api.close();
  await inbox.close();
});

const ask = (who: Person, meetingId = meeting.meetingId) =>
  createAccessRequest(api.db, asUser(who.userId), meetingId);
const listed = async (owner = anna) => (await listAccessRequests(api.db, owner.userId)).requests;
const dismiss = (by: Person, who: Person) =>
  dismissAccessRequest(api.db, asUser(by.userId), { meetingId: meeting.meetingId, userId: who.userId });
const audited = async () =>
  (await api.db.select().from(auditLog).where(eq(auditLog.object, meeting.meetingId))).map(
    ({ actor, action }) => [actor, action],
  );
const expire = () => api.db.update(accessRequests).set({ expiresAt: sql`now() - interval '1 second'` });

describe("a request for access", () => {
  test("reaches the owner once, with the member and the title, and ends with the share that grants it", async () => {
    await Promise.all([ask(ben), ask(ben), ask(ben)]);
    const { userId, email, name } = ben;
    expect(await listed()).toEqual([
      {
        ...{ meetingId: meeting.meetingId, title: "Layoffs", createdAt: expect.any(String) },
        user: { userId, email, name },
      },
    ]);
    expect(await listed(ben)).toEqual([]);
    await shareMeeting(api.db, asUser(anna.userId), meeting.meetingId, ben.userId);
    expect(await listed()).toEqual([]);
    expect(await api.db.$count(accessRequests)).toBe(0);
    expect(await audited()).toEqual([
      [ben.userId, "meeting.ask"],
      [anna.userId, "meeting.share"],
    ]);
  });

  test("is stored for nobody but a member of the owner's workspace who can't read the meeting", async () => {
    const stranger = await api.given.person();
    await ask(stranger);
    await ask(anna);
    await ask(ben, "mtg_unknown");
    const shared = await api.given.meetingSharedDirectly(anna, ben);
    const tagged = await api.given.meetingSharedByTag(anna, ben, { tag: "board" });
    for (const { meetingId } of [shared, tagged]) await ask(ben, meetingId);
    expect(await api.db.$count(accessRequests)).toBe(0);
    expect(await audited()).toEqual([]);
  });

  test("is left out once the member can read the meeting by a tag", async () => {
    await ask(ben);
    const tagId = await api.given.tagged(meeting, "board");
    await api.given.tagShared(tagId, ben);
    expect(await listed()).toEqual([]);
  });

  test("429: after many in a day, whatever came of them", async () => {
    const limit = LIMITS.accessRequestsPerDay;
    await ask(ben);
    const counted = sql`${rateWindows.scope} = ${`day:access-requests:${ben.userId}`}`;
    await api.db
      .update(rateWindows)
      .set({ count: limit - 1 })
      .where(counted);
    await ask(ben, "mtg_unknown");
    for (const id of ["mtg_unknown", meeting.meetingId])
      await expect(ask(ben, id)).rejects.toMatchObject({
        code: "TOO_MANY_REQUESTS",
      } satisfies Partial<ApiError>);
  });

  test("dismissed by the owner alone, it stays away until it expires; then the member can ask again", async () => {
    await ask(ben);
    const other = await api.given.person();
    for (const who of [other, ben])
      await expect(dismiss(who, ben)).rejects.toMatchObject({ code: "FORBIDDEN" });
    for (let times = 0; times < 2; times++) await dismiss(anna, ben);
    await ask(ben);
    expect(await listed()).toEqual([]);
    const actions = (await audited()).map(([, action]) => action);
    expect(actions).toEqual(["meeting.ask", "meeting.dismiss"]);
    await expire();
    await ask(ben);
    expect(await listed()).toHaveLength(1);
    await expire();
    expect(await listed()).toEqual([]);
    await purgeExpired(api.db);
    expect(await api.db.$count(accessRequests)).toBe(0);
  });

  test("is gone with the meeting, with either person, and once one of them leaves", async () => {
    const ends = [
      () => deleteMeeting(api.db, asUser(anna.userId), meeting.meetingId),
      () => eraseUser(api.db, OPERATOR, anna.userId),
      () => eraseUser(api.db, OPERATOR, ben.userId),
      () => leaveWorkspace(api.db, asUser(anna.userId), anna.userId),
      () => leaveWorkspace(api.db, asUser(ben.userId), ben.userId),
    ];
    for (const end of ends) {
      const company = await api.given.company();
      [anna, ben] = [await api.given.member(company), await api.given.member(company)];
      meeting = await api.given.meeting(anna);
      await ask(ben);
      expect(await api.db.$count(accessRequests)).toBe(1);
      await end();
      expect(await api.db.$count(accessRequests)).toBe(0);
    }
  });
});

describe("the e-mail about a request", () => {
  const faults: unknown[] = [];
  const send = (url = inbox.url) =>
    sendAccessRequestMails(
      api.db,
      {
        mailer: createSmtpMailer({ url, from: "Minutes <minutes@example.com>" }),
        publicUrl: () => "https://minutes.example.com",
        onFault: (error) => void faults.push(error),
      },
      new AbortController().signal,
    );

  test("is sent once to the owner, without content, and not about a dismissed or old request", async () => {
    await ask(ben);
    await Promise.all([send(), send()]);
    await send();
    expect(inbox.mails.map(({ to }) => to)).toEqual([[anna.email]]);
    const text = inbox.mails[0]?.text ?? "";
    expect(text).toContain(`https://minutes.example.com/meetings/${meeting.meetingId}`);
    expect(text).toContain(ben.email);
    expect(text).not.toContain("Layoffs");
    await api.db.delete(accessRequests);
    await ask(ben);
    await dismiss(anna, ben);
    await send();
    await api.db.delete(accessRequests);
    await ask(ben);
    await api.db.update(accessRequests).set({ createdAt: sql`now() - interval '25 hours'` });
    await send();
    expect(inbox.mails).toHaveLength(1);
  });

  test("is not sent to an address that is not confirmed, and again later if it is refused", async () => {
    await api.db.update(users).set({ emailConfirmed: false }).where(eq(users.id, anna.userId));
    await ask(ben);
    await send();
    expect(inbox.mails).toEqual([]);
    await api.db.update(users).set({ emailConfirmed: true }).where(eq(users.id, anna.userId));
    await api.db.update(accessRequests).set({ mailDueAt: sql`now() - interval '1 second'` });
    inbox.full.add(anna.email);
    await send();
    expect(faults).toHaveLength(1);
    inbox.full.clear();
    await send();
    expect(inbox.mails).toEqual([]);
    await api.db.update(accessRequests).set({ mailDueAt: sql`now() - interval '1 second'` });
    await send();
    expect(inbox.mails).toHaveLength(1);
  });
});
