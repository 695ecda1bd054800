import { MESSAGES } from "@minutes/contract";
import { schema } from "@minutes/db";
import {
  asUser,
  completeMeeting,
  type Inbox,
  type MeetingFacts,
  openInbox,
  openTestApi,
  type Person,
  type TestApi,
} from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { OPERATOR } from "../access/actor.js";
import { createSmtpMailer, type Mailer } from "../lib/mailer.js";
import { deleteMeeting } from "../meetings/index.js";
import { unshareMeeting, unshareTag } from "../meetings/sharing/index.js";
import { eraseUser } from "../workspaces/index.js";
import { sendDigests } from "./send.js";
import { getDigests, unsubscribe, updateDigests } from "./subscriptions.js";
import { queueWeeklyDigests } from "./week-mail.js";

const { auditLog, digests, digestSubscriptions, summaries, users } = schema;

let api: TestApi;
let inbox: Inbox;
let mailer: Mailer;
const faults: unknown[] = [];
beforeAll(async () => {
  api = await openTestApi();
  inbox = await openInbox();
  mailer = createSmtpMailer({ url: inbox.url, from: "Minutes <minutes@example.com>" });
});
beforeEach(async () => {
  await api.db.delete(digests);
  await api.db.delete(digestSubscriptions);
  inbox.mails.length = 0;
  inbox.full.clear();
  faults.length = 0;
});
afterAll(async () => {
  await api.close();
  await inbox.close();
});

const send = (use: Mailer = mailer) =>
  sendDigests(
    api.db,
    {
      mailer: use,
      publicUrl: () => "https://minutes.example.com",
      onFault: (error) => void faults.push(error),
    },
    new AbortController().signal,
  );
const choose = (who: Person, meeting: boolean, use: Mailer | null = mailer) =>
  updateDigests(api.db, asUser(who.userId), { meeting }, use);
/** A Monday, and a time on that day. */
const MONDAY = "2025-01-06";
const onMonday = (time: string) => queueWeeklyDigests(api.db, sql`${`${MONDAY}T${time}Z`}::timestamptz`);
/** Lets a user get the e-mails of Monday mornings; they asked long before. */
const chooseWeek = async (who: Person, week = true) => {
  await updateDigests(api.db, asUser(who.userId), { week }, mailer);
  await api.db
    .update(digestSubscriptions)
    .set({ createdAt: "2024-12-01T00:00:00.000Z" })
    .where(eq(digestSubscriptions.userId, who.userId));
};
/** Creates a user who gets e-mails about meetings. */
const subscriber = async () => {
  const who = await api.given.person();
  await choose(who, true);
  return who;
};
/** Completes a meeting that started just now. */
const complete = async (owner: Person, facts: MeetingFacts = {}) =>
  (await completeMeeting(api.db, owner, { startTime: new Date().toISOString(), ...facts })).meetingId;
const readers = () => inbox.mails.map(({ to }) => to[0]).sort();
const confirm = (who: Person, emailConfirmed: boolean) =>
  api.db.update(users).set({ emailConfirmed }).where(eq(users.id, who.userId));

describe("the e-mail about a completed meeting", () => {
  test("is sent once to an owner who asked for it, with title, short summary, their open tasks and a link", async () => {
    const company = await api.given.company();
    const [anna, ben] = [await api.given.member(company), await api.given.member(company)];
    await choose(anna, true);
    const own = { name: anna.name, email: anna.email };
    const meetingId = await complete(anna, {
      title: "Turbine\r\nBcc: everyone@example.com",
      summary: { markdown: "# Long words", short: "Turbines are late." },
      tasks: [
        { text: "Call the supplier", assignee: own },
        { text: "Order bolts", assignee: own },
        { text: "Done before", completed: true, assignee: own },
        { text: "Ask the board", assignee: { name: ben.name, email: ben.email } },
      ],
    });
    await complete(ben);
    await send();
    await send();
    expect(readers()).toEqual([anna.email]);
    const { text = "" } = inbox.mails[0] ?? {};
    expect(text).toMatch(/^Subject: Turbine Bcc: everyone@example.com\r$/m);
    expect(text).toMatch(/Turbines are late\.\s+Your open tasks:\s+- Call the supplier\s+- Order bolts\s/);
    expect(text).toContain(`https://minutes.example.com/meetings/${meetingId}`);
    expect(text).not.toMatch(/Long words|Done before|Ask the board|supplier@|We talk/);
  });

  test("has a header and a link with one token, which can only unsubscribe and is stored as a hash", async () => {
    const anna = await subscriber();
    const meetingId = await complete(anna);
    await send();
    const { text = "" } = inbox.mails[0] ?? {};
    const [, token = ""] =
      /^List-Unsubscribe:\s+<https:\/\/minutes\.example\.com\/unsubscribe\/(mun_\w+)>\r$/m.exec(text) ?? [];
    expect(text).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
    expect(text.split(token)).toHaveLength(3);
    expect(JSON.stringify(await api.db.select().from(digests), (_, value) => String(value))).not.toContain(
      token,
    );
    expect((await api.call(token, "me/meetings.list")).status).toBe(401);
    await deleteMeeting(api.db, asUser(anna.userId), meetingId);
    expect(await unsubscribe(api.db, token)).toBe("meeting");
    expect(await unsubscribe(api.db, token)).toBe("meeting");
    expect(await getDigests(api.db, anna.userId, mailer)).toEqual({
      available: true,
      meeting: false,
      week: false,
    });
    await api.db.update(digests).set({ expiresAt: sql`now() - interval '1 second'` });
    expect(await unsubscribe(api.db, token)).toBeNull();
  });

  test("is sent once by several processes, and never again if the one that claimed it is killed", async () => {
    const anna = await subscriber();
    for (let meeting = 0; meeting < 4; meeting++) await complete(anna);
    await Promise.all([send(), send(), send()]);
    expect(inbox.mails).toHaveLength(4);
    await complete(anna);
    const claimed = new Promise<void>((resolve) => {
      void send(() => {
        resolve();
        return new Promise(() => {});
      });
    });
    await claimed;
    await send();
    expect([inbox.mails.length, faults]).toEqual([4, []]);
  });

  test("that the mail server refuses is sent again after ten minutes, for a day, and holds up no other", async () => {
    const [anna, ben] = [await subscriber(), await subscriber()];
    await complete(anna);
    await complete(ben);
    inbox.full.add(anna.email);
    await send();
    await send();
    expect([readers(), faults.length]).toEqual([[ben.email], 1]);
    inbox.full.clear();
    await api.db.update(digests).set({ dueAt: sql`due_at - interval '10 minutes'` });
    await api.db.update(digests).set({ createdAt: sql`created_at - interval '1 day'` });
    await send();
    expect(readers()).toEqual([ben.email]);
    await api.db.update(digests).set({ createdAt: sql`created_at + interval '1 day'` });
    await send();
    expect(readers()).toEqual([anna.email, ben.email].sort());
  });

  test("leaves out a locked summary", async () => {
    const anna = await subscriber();
    const meetingId = await complete(anna, { summary: { markdown: "Secret plans", short: "Secret plans" } });
    await api.db.update(summaries).set({ locked: true }).where(eq(summaries.meetingId, meetingId));
    await send();
    expect(readers()).toEqual([anna.email]);
    expect(inbox.mails[0]?.text).not.toContain("Secret plans");
  });

  test("is not sent about an old meeting, a deleted one, or to those who ended it, are erased or have an unconfirmed address", async () => {
    const [old, gone, ended, erased, unconfirmed] = [
      await subscriber(),
      await subscriber(),
      await subscriber(),
      await subscriber(),
      await subscriber(),
    ];
    await complete(old, { startTime: new Date(Date.now() - 25 * 3_600_000).toISOString() });
    await deleteMeeting(api.db, asUser(gone.userId), await complete(gone));
    for (const who of [ended, erased, unconfirmed]) await complete(who);
    await choose(ended, false);
    await eraseUser(api.db, OPERATOR, erased.userId);
    await confirm(unconfirmed, false);
    await send();
    expect([inbox.mails, faults]).toEqual([[], []]);
    expect(await api.db.$count(digests, eq(digests.userId, erased.userId))).toBe(0);
  });
});

describe("the e-mail of a Monday morning", () => {
  test("has the reader's open tasks and last week's meetings that they can read, once per week and user", async () => {
    const company = await api.given.company();
    const [anna, ben] = [await api.given.member(company), await api.given.member(company)];
    await chooseWeek(anna);
    const own = { name: anna.name, email: anna.email };
    const at = (startTime: string, title: string, facts: MeetingFacts = {}) => ({
      startTime,
      title,
      ...facts,
    });
    await api.given.meeting(
      anna,
      at("2025-01-05T23:59:59Z", "Sunday talk", { tasks: [{ text: "Call them", assignee: own }] }),
    );
    await api.given.meeting(anna, at("2024-12-29T23:59:59Z", "Before that week"));
    await api.given.meeting(anna, at("2025-01-06T00:00:00Z", "This week"));
    await api.given.meetingSharedDirectly(ben, anna, at("2024-12-30T00:00:00Z", "Shared talk"));
    await api.given.meeting(ben, at("2025-01-02T09:00:00Z", "Secret talk"));
    for (let process = 0; process < 2; process++) {
      await Promise.all([onMonday("06:00:00"), onMonday("06:00:00")]);
      await Promise.all([send(), send()]);
    }
    expect([readers(), faults]).toEqual([[anna.email], []]);
    const { text = "" } = inbox.mails[0] ?? {};
    expect(text).toMatch(/Your open tasks:\s+- Call them \(Sunday talk\)\s/);
    expect(text).toMatch(/Meetings of last week:\s+- 2025-01-05 Sunday talk\s+- 2024-12-30 Shared talk\s/);
    expect(text).not.toMatch(/Before that week|This week|Secret talk/);
    const [, token = ""] = /\/unsubscribe\/(mun_\w+)/.exec(text) ?? [];
    await choose(anna, true);
    expect(await unsubscribe(api.db, token)).toBe("week");
    expect(await getDigests(api.db, anna.userId, mailer)).toEqual({
      ...{ available: true, meeting: true, week: false },
    });
  });

  test("has nothing of a meeting that its reader could read when it was queued, but can't any more", async () => {
    const company = await api.given.company();
    const [anna, ben] = [await api.given.member(company), await api.given.member(company)];
    await chooseWeek(anna);
    const lastWeek = { startTime: "2025-01-02T09:00:00Z" };
    await api.given.meeting(anna, { ...lastWeek, title: "Own talk" });
    const own = { name: anna.name, email: anna.email };
    const facts = { ...lastWeek, title: "Private talk", tasks: [{ text: "Keep quiet", assignee: own }] };
    const direct = await api.given.meetingSharedDirectly(ben, anna, facts);
    const byTag = await api.given.meetingSharedByTag(ben, anna, { ...facts, title: "Tagged talk" });
    await onMonday("06:00:00");
    await unshareMeeting(api.db, OPERATOR, direct.meetingId, anna.userId);
    await unshareTag(api.db, OPERATOR, byTag.tagId, anna.userId);
    await send();
    const { text = "" } = inbox.mails[0] ?? {};
    expect([readers(), faults]).toEqual([[anna.email], []]);
    expect(text).toContain("Own talk");
    expect(text).not.toMatch(/Private talk|Tagged talk|Keep quiet/);
  });

  test("is not sent at other times, to those who asked later or have nothing to read, or after its reader ended it", async () => {
    const [early, late, idle, ended, unconfirmed] = [
      await api.given.person(),
      await api.given.person(),
      await api.given.person(),
      await api.given.person(),
      await api.given.person(),
    ];
    for (const who of [early, late, idle, ended, unconfirmed]) {
      await chooseWeek(who);
      if (who !== idle) await api.given.meeting(who, { startTime: "2025-01-02T09:00:00Z" });
    }
    await onMonday("05:59:59");
    await queueWeeklyDigests(api.db, sql`'2025-01-07T06:00:00Z'::timestamptz`);
    expect(await api.db.$count(digests)).toBe(0);
    await api.db
      .update(digestSubscriptions)
      .set({ createdAt: `${MONDAY}T06:00:00.000Z` })
      .where(eq(digestSubscriptions.userId, late.userId));
    await onMonday("23:00:00");
    await chooseWeek(ended, false);
    await confirm(unconfirmed, false);
    await send();
    expect([readers(), faults]).toEqual([[early.email], []]);
  });
});

describe("the choice", () => {
  test("412: none can be asked for without a mail server, or to an address that is not confirmed", async () => {
    const anna = await api.given.person();
    await expect(choose(anna, true, null)).rejects.toThrow(MESSAGES.digestsNeedMail);
    await confirm(anna, false);
    await expect(choose(anna, true)).rejects.toThrow(MESSAGES.digestsNeedConfirmedAddress);
    expect(await choose(anna, false, null)).toEqual({ available: false, meeting: false, week: false });
  });

  test("200: each change is in the audit log, and a repeated one is not", async () => {
    const anna = await api.given.person();
    for (const meeting of [false, true, true, false, false])
      expect(await choose(anna, meeting)).toEqual({ available: true, meeting, week: false });
    const entries = await api.db
      .select({ action: auditLog.action })
      .from(auditLog)
      .where(sql`object = ${anna.userId} and action like 'digest.%'`)
      .orderBy(auditLog.id);
    expect(entries.map(({ action }) => action)).toEqual(["digest.subscribe", "digest.unsubscribe"]);
  });
});
