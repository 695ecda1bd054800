import { MESSAGES, type Preparation, type UpcomingEvent } from "@minutes/contract";
import { schema } from "@minutes/db";
import {
  asUser,
  completeMeeting,
  createTestCa,
  openTestApi,
  type Person,
  type Receiver,
  startWebhookReceiver,
  type TestApi,
  type TestCa,
} from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { OPERATOR } from "../access/actor.js";
import { eraseElsewhere } from "../erasure/index.js";
import { createTargetPolicy } from "../lib/http/target-policy.js";
import { createKeyring, generateSecretsKey } from "../lib/keyring.js";
import type { Mail } from "../lib/mailer.js";
import { rotateSecrets } from "../webhooks/index.js";
import { joinWorkspace } from "../workspaces/index.js";
import { linkCompletedMeetings, linkMeetings } from "./link.js";
import { Pace } from "./pace.js";
import { CalendarError, createFeedReader, type FeedReader, type FeedReaderOptions } from "./read-feed.js";
import { deleteCalendar, getCalendar, setCalendar } from "./subscription.js";
import { syncCalendars } from "./sync.js";
import { unlinkEvent } from "./unlink.js";

const { auditLog, calendarEntries, calendars, publicLinks } = schema;
const HOUR = 3_600_000;
const SECRET = "s3cr3t-address";

/** What the calendar's server answers. */
interface Answer {
  status?: number;
  headers?: Record<string, string>;
  text?: string;
  /** Delays the answer to a path. */
  wait?: (path: string) => Promise<unknown> | undefined;
}

let api: TestApi;
let ca: TestCa;
let feed: Receiver;
let reader: FeedReader;
let answer: Answer;
const createRing = () => [Buffer.from(generateSecretsKey(), "base64")] as [Uint8Array];
const firstKeys = createRing();
let services = {
  keyring: createKeyring(firstKeys),
  targetPolicy: createTargetPolicy({ allowedNetworks: ["127.0.0.0/8"] }),
};
const mails: Mail[] = [];
const faults: unknown[] = [];
beforeAll(async () => {
  [api, ca] = await Promise.all([openTestApi(), createTestCa()]);
  feed = await startWebhookReceiver(await ca.issue(), ({ headers, path }, _, response) => {
    const { status = 200, headers: sent = {}, text = "" } = answer;
    const wait = answer.wait?.(path);
    if (wait) {
      void wait.then(() => response.writeHead(200).end(text));
      return undefined;
    }
    const isKnown = sent.etag !== undefined && headers["if-none-match"] === sent.etag;
    response.writeHead(isKnown ? 304 : status, sent).end(isKnown ? undefined : text);
    return undefined;
  });
  reader = createReader();
});
/** Creates a reader whose users don't wait, with time for slow machines. */
const createReader = (more: Partial<FeedReaderOptions> = {}) =>
  createFeedReader({
    ...{ targetPolicy: services.targetPolicy, extraCa: ca.ca, pace: new Pace(0) },
    ...{ limits: { deadline: 60_000, memory: 384 }, ...more },
  });
beforeEach(async () => {
  await api.db.delete(calendars);
  answer = {};
  mails.length = 0;
  feed.received.length = 0;
});
afterAll(async () => {
  await reader.close();
  await Promise.all([api.close(), feed.close(), ca.remove()]);
  expect(faults).toEqual([]);
});

const options = (keyring = services.keyring) => ({
  ...{ keyring, reader, publicUrl: () => "https://minutes.example.com" },
  mailer: async (mail: Mail) => void mails.push(mail),
  onFault: (error: unknown) => void faults.push(error),
});
const signal = new AbortController().signal;
const sync = (use = options()) => syncCalendars(api.db, use, signal);
const again = async (use = options()) => {
  await api.db.update(calendars).set({ dueAt: sql`now() - interval '1 second'` });
  await sync(use);
};
const subscribe = (who: Person, url = `${feed.url}/${SECRET}.ics`) =>
  setCalendar(api.db, asUser(who.userId), url, services);
const state = async (who: Person) => (await getCalendar(api.db, who.userId, services)).calendar;

const stamp = (time: number) => `${new Date(time).toISOString().replace(/[-:]/g, "").slice(0, 15)}Z`;
const NOW = Math.floor(Date.now() / 60_000) * 60_000;
/** Writes an event that starts some hours from now and takes one. */
const event = (uid: string, hours: number, more: readonly string[] = []) =>
  [
    ...[
      "BEGIN:VEVENT",
      `UID:${uid}`,
      `DTSTART:${stamp(NOW + hours * HOUR)}`,
      `DTEND:${stamp(NOW + (hours + 1) * HOUR)}`,
    ],
    ...(more.some((line) => line.startsWith("SUMMARY")) ? [] : [`SUMMARY:Event ${uid}`]),
    ...more,
    "END:VEVENT",
  ].join("\r\n");
const calendar = (...events: string[]) =>
  ["BEGIN:VCALENDAR", "VERSION:2.0", ...events, "END:VCALENDAR", ""].join("\r\n");
/** A rule that matches nothing, for which the library looks until the year 9999. */
const NEVER = event("never", 2, ["RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30"]);
const invite = (person: Pick<Person, "email" | "name">, partstat = "ACCEPTED") =>
  `ATTENDEE;CN=${person.name};PARTSTAT=${partstat}:mailto:${person.email}`;
/** Completes a meeting that starts some hours from now. */
const meet = (owner: Person, hours: number, minutes: number, facts: object = {}) =>
  completeMeeting(api.db, owner, {
    startTime: new Date(NOW + hours * HOUR).toISOString(),
    endTime: new Date(NOW + hours * HOUR + minutes * 60_000).toISOString(),
    ...facts,
  });
interface Read {
  readonly calendarEventId?: string;
  readonly event: {
    id: string | null;
    externalId: string | null;
    title: string;
    scheduledTime: string;
    attendees: unknown[];
  };
}
const read = async (who: Person, meetingId: string): Promise<Read> =>
  (await api.data(who.key, "me/meetings.get", { meetingId })) as unknown as Read;
const upcoming = async (who: Person) =>
  (await api.askFor<{ events: UpcomingEvent[] }>(who, "upcoming.list")).events;

describe("the subscription", () => {
  test("is read within its limits, and shows its host and state but never its address", async () => {
    const anna = await api.given.person();
    answer = { text: calendar(event("soon", 2), event("far", 24 * 40), event("old", -24 * 70)) };
    const set = await subscribe(anna, ` ${feed.url.replace("https:", "webcal:")}/${SECRET}.ics`);
    expect(set).toMatchObject({
      available: true,
      calendar: { host: `127.0.0.1:${feed.port}`, syncedAt: null },
    });
    await sync();
    expect(await state(anna)).toMatchObject({ fault: null, events: 1 });
    expect(feed.received.map(({ path }) => path)).toEqual([`/hook/${SECRET}.ics`]);
    expect((await upcoming(anna)).map(({ title }) => title)).toEqual(["Event soon"]);
    const stored = [await api.db.select().from(calendars), await api.db.select().from(auditLog)];
    expect(JSON.stringify([stored, await getCalendar(api.db, anna.userId, services)])).not.toContain(SECRET);
  });

  test("an unchanged calendar is neither sent nor written again, until a day has passed", async () => {
    const anna = await api.given.person();
    answer = { text: calendar(event("a", 2)), headers: { etag: '"one"' } };
    await subscribe(anna);
    await sync();
    await again();
    expect(feed.received.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, '"one"']);
    expect(await state(anna)).toMatchObject({ fault: null, events: 1 });
    await api.db.update(calendars).set({ parsedAt: sql`now() - interval '25 hours'` });
    await again();
    expect(feed.received.at(-1)?.headers["if-none-match"]).toBeUndefined();
  });

  test.each<[string, Answer]>([
    ["status", { status: 404 }],
    ["redirect", { status: 302, headers: { location: "https://elsewhere.example/" } }],
    ["notCalendar", { text: "<html>Sign in</html>" }],
    ["tooLarge", { text: "x".repeat(5 * 1024 * 1024 + 1) }],
  ])("%s: a calendar that can't be read keeps its events, and is tried later", async (fault, bad) => {
    const anna = await api.given.person();
    answer = { text: calendar(event("a", 2)) };
    await subscribe(anna);
    await sync();
    answer = bad;
    await again();
    expect(await state(anna)).toMatchObject({ fault, events: 1 });
    expect(Date.parse((await state(anna))?.dueAt ?? "")).toBeGreaterThan(Date.now() + 60_000);
    answer = { text: calendar(event("b", 3)) };
    await again();
    expect(await state(anna)).toMatchObject({ fault: null });
    expect((await upcoming(anna)).map(({ title }) => title)).toEqual(["Event b"]);
  });

  test("one that takes too long ends with its thread, and the next is read", async () => {
    const anna = await api.given.person();
    answer = { text: calendar(NEVER) };
    await subscribe(anna);
    const hasty = createReader({ limits: { deadline: 1_000, memory: 384 } });
    await sync({ ...options(), reader: hasty });
    expect(await state(anna)).toMatchObject({ fault: "tooComplex" });
    await hasty.close();
    answer = { text: calendar(event("a", 2)) };
    await again();
    expect(await state(anna)).toMatchObject({ fault: null });
  });

  test("one that takes its time lets others be read", async () => {
    const slow = await api.given.person();
    const others = [];
    for (let nth = 0; nth < 6; nth++) others.push(await api.given.person());
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    answer = {
      text: calendar(event("a", 2)),
      wait: (path) => (path.endsWith("/slow.ics") ? released : undefined),
    };
    await subscribe(slow, `${feed.url}/slow.ics`);
    for (const who of others) await subscribe(who);
    const syncing = sync();
    const isRead = async (who: Person) => (await state(who))?.syncedAt !== null;
    for (const who of others) await expect.poll(() => isRead(who), { timeout: 25_000 }).toBe(true);
    expect(await isRead(slow)).toBe(false);
    release();
    await syncing;
  });

  test("the time that it took delays its user's next one, whatever they do, and nobody else's", async () => {
    const [anna, ben] = [await api.given.person(), await api.given.person()];
    answer = { text: calendar(event("a", 2)) };
    // Any time is long.
    const paced = createReader({ pace: new Pace(1_000_000_000) });
    const use = { ...options(), reader: paced };
    await subscribe(anna);
    await sync(use);
    await subscribe(anna);
    await sync(use);
    await deleteCalendar(api.db, asUser(anna.userId));
    await subscribe(anna);
    await sync(use);
    expect(feed.received).toHaveLength(1);
    expect(await state(anna)).toMatchObject({ syncedAt: null, fault: null });
    expect(Date.parse((await state(anna))?.dueAt ?? "")).toBeGreaterThan(Date.now() + 60_000);
    await subscribe(ben);
    await sync(use);
    expect(await state(ben)).toMatchObject({ fault: null, events: 1 });
    await paced.close();
  });

  test("one that is not newer, or fails, counts as well", async () => {
    let now = 0;
    const pace = new Pace(60, () => now);
    const take = (milliseconds: number) =>
      pace.spend("anna", async () => {
        now += milliseconds;
        throw new CalendarError("tooComplex");
      });
    await expect(take(1_000)).rejects.toThrow("tooComplex");
    expect([pace.wait("anna"), pace.wait("ben")]).toEqual([60_000, 0]);
    await expect(take(1_000_000)).rejects.toThrow("tooComplex");
    expect(pace.wait("anna")).toBe(1_800_000);
    now += 1_800_000;
    expect(pace.wait("anna")).toBe(0);
  });

  test("its bytes are given to the thread, not copied and decoded on the way", async () => {
    const bytes = new TextEncoder().encode(calendar(event("a", 2, ["SUMMARY:Größe"])));
    const { events } = await reader.parse(bytes, NOW, (work) => work());
    expect(events.map(({ title }) => title)).toEqual(["Größe"]);
    expect(bytes.byteLength).toBe(0);
  });

  test("an address that leads to a private network is refused, also after it was stored", async () => {
    const anna = await api.given.person();
    const strict = { ...services, targetPolicy: createTargetPolicy() };
    const set = (url: string) => setCalendar(api.db, asUser(anna.userId), url, strict);
    await expect(set("https://127.0.0.1/a.ics")).rejects.toMatchObject({
      message: MESSAGES.calendarUrlRefused,
    });
    for (const url of ["http://example.com/a.ics", "https://a:b@example.com/", "file:///etc/passwd", "anna"])
      await expect(set(url)).rejects.toMatchObject({ message: MESSAGES.calendarUrlNotHttps });
    await subscribe(anna);
    const guarded = createReader({ targetPolicy: strict.targetPolicy });
    await sync({ ...options(), reader: guarded });
    await guarded.close();
    expect(await state(anna)).toMatchObject({ fault: "blocked" });
    expect(feed.received).toEqual([]);
  });

  test("412: without a key for secrets there is no calendar", async () => {
    const anna = await api.given.person();
    await expect(
      setCalendar(api.db, asUser(anna.userId), feed.url, { ...services, keyring: null }),
    ).rejects.toMatchObject({ code: "PRECONDITION_FAILED" });
  });

  test("its user is told by e-mail once that it fails for hours", async () => {
    const anna = await api.given.person();
    answer = { status: 500 };
    await subscribe(anna);
    await sync();
    for (let nth = 0; nth < 10; nth++) await again();
    expect(mails).toHaveLength(1);
    expect(mails[0]).toMatchObject({ to: [anna.email] });
    expect(JSON.stringify(mails)).not.toContain(SECRET);
  });

  test("a new key encrypts its address again, and a lost one is reported", async () => {
    const anna = await api.given.person();
    answer = { text: calendar(event("a", 2)) };
    await subscribe(anna);
    const old = services.keyring;
    const keys = createRing();
    const both = createKeyring([...keys, ...firstKeys]);
    await rotateSecrets(api.db, both);
    const [row] = await api.db.select().from(calendars).where(eq(calendars.userId, anna.userId));
    expect(row?.secretKeyId).toBe(both.keyId);
    await sync(options(old));
    expect(await state(anna)).toMatchObject({ fault: "key" });
    services = { ...services, keyring: createKeyring(keys) };
    await again();
    expect(await state(anna)).toMatchObject({ fault: null });
  });

  test("what was read from an address before is not stored with a new one", async () => {
    const anna = await api.given.person();
    answer = { text: calendar(event("old", 2)) };
    await subscribe(anna);
    const parse: FeedReader["parse"] = async (bytes, now, spend) => {
      const isOld = new TextDecoder().decode(bytes).includes("UID:old");
      const events = await reader.parse(bytes, now, spend);
      if (isOld) {
        answer = { text: calendar(event("new", 2)) };
        await subscribe(anna);
      }
      return events;
    };
    await sync({ ...options(), reader: { ...reader, parse } });
    expect((await upcoming(anna)).map(({ title }) => title)).toEqual(["Event new"]);
  });

  test("ends with its user's move to another workspace, and when they end it", async () => {
    const company = await api.given.company();
    const [anna, ben] = [await api.given.person(), await api.given.person()];
    answer = { text: calendar(event("a", 2)) };
    for (const who of [anna, ben]) await subscribe(who);
    await sync();
    await joinWorkspace(api.db, OPERATOR, anna.userId, company.workspaceId);
    await deleteCalendar(api.db, asUser(ben.userId));
    await deleteCalendar(api.db, asUser(ben.userId));
    expect([await state(anna), await state(ben)]).toEqual([null, null]);
    expect(await api.db.$count(calendarEntries)).toBe(0);
  });
});

describe("the event of a meeting", () => {
  test("is the one of its owner's calendar that overlaps it best, before or after the calendar is read", async () => {
    const [anna, ben] = [await api.given.person(), await api.given.person()];
    answer = {
      text: calendar(
        event("short", -4.2, [invite(anna)]),
        event("right", -3.9, [invite(anna), invite(ben, "TENTATIVE")]),
        event("later", -2, []),
      ),
    };
    const before = await meet(anna, -4, 60);
    const others = await meet(ben, -4, 60);
    await subscribe(anna);
    await sync();
    const filled = await read(anna, before.meetingId);
    expect(filled.event).toMatchObject({ externalId: "right", title: "Event right" });
    expect(filled.event.scheduledTime).toBe(new Date(NOW - 3.9 * HOUR).toISOString());
    expect(filled.event.attendees).toEqual([
      { name: anna.name, email: anna.email, responseStatus: "accepted", organizer: false },
      { name: ben.name, email: ben.email, responseStatus: "tentative", organizer: false },
    ]);
    const after = await meet(anna, -1.9, 20);
    await linkCompletedMeetings(api.db, signal);
    expect((await read(anna, after.meetingId)).event.externalId).toBe("later");
    expect((await read(ben, others.meetingId)).event.id).toBeNull();
  });

  test("is at the same time the one whose people spoke, and suggests the others who were invited as speakers", async () => {
    const [anna, ben, cole] = [await api.given.person(), await api.given.person(), await api.given.person()];
    answer = {
      text: calendar(
        event("a focus", -4, [invite(anna)]),
        event("with ben", -3.9, [invite(anna), invite(ben), invite(cole)]),
        event("titled", -6, ["SUMMARY:Budget", invite(anna)]),
        event("with cole", -6, [invite(cole)]),
      ),
    };
    const spoke = (who: Person) => ({
      speakerId: who.userId,
      speakerName: "Speaker",
      speakerEmail: who.email.toUpperCase(),
      text: "Hello.",
    });
    const parallel = await meet(anna, -4, 60, { transcript: [spoke(anna), spoke(ben)] });
    const titled = await meet(anna, -6, 60, { title: "Budget", transcript: [spoke(anna), spoke(cole)] });
    await subscribe(anna);
    await sync();
    expect((await read(anna, parallel.meetingId)).event.externalId).toBe("with ben");
    expect((await read(anna, titled.meetingId)).event.externalId).toBe("titled");
    const { meetingId } = parallel;
    const { suggestions } = await api.askFor<{ suggestions: { email: string; reason: string }[] }>(
      anna,
      "speakers.list",
      { meetingId },
    );
    expect(suggestions).toContainEqual(expect.objectContaining({ email: cole.email, reason: "attendee" }));
  });

  test("overlaps half of the meeting and a quarter of itself, or has its title; days, declined, cancelled, private and free ones don't count", async () => {
    const anna = await api.given.person();
    const day = new Date(NOW).toISOString().slice(0, 10).replaceAll("-", "");
    answer = {
      text: calendar(
        event("little", -5),
        event("titled", -3, ["SUMMARY:Plan "]),
        event("declined", -8, [invite(anna, "DECLINED")]),
        event("cancelled", -8, ["STATUS:CANCELLED"]),
        event("private", -8, ["CLASS:PRIVATE"]),
        event("free", -8, ["TRANSP:TRANSPARENT"]),
        `BEGIN:VEVENT\r\nUID:long\r\nDTSTART:${stamp(NOW - 20 * HOUR)}\r\nDURATION:PT5H\r\nSUMMARY:Fair\r\nEND:VEVENT`,
        `BEGIN:VEVENT\r\nUID:day\r\nDTSTART;VALUE=DATE:${day}\r\nDURATION:P2D\r\nSUMMARY:Day\r\nEND:VEVENT`,
      ),
    };
    const little = await meet(anna, -4.25, 60);
    const titled = await meet(anna, -2.25, 90, { title: "plan" });
    const declined = await meet(anna, -8, 60);
    const within = await meet(anna, -18, 60);
    await subscribe(anna);
    await sync();
    expect((await read(anna, little.meetingId)).event.id).toBeNull();
    expect((await read(anna, titled.meetingId)).event.externalId).toBe("titled");
    expect((await read(anna, declined.meetingId)).event.id).toBeNull();
    expect((await read(anna, within.meetingId)).event.id).toBeNull();
  });

  test("is not filled from a calendar that ends while meetings are matched", async () => {
    const [anna, ben] = [await api.given.person(), await api.given.person()];
    answer = { text: calendar(event("mine", -3, [invite(ben)])) };
    await subscribe(anna);
    await sync();
    const { meetingId } = await meet(anna, -3, 60);
    const begin = api.db.transaction.bind(api.db);
    vi.spyOn(api.db, "transaction").mockImplementationOnce(async (work) => {
      await deleteCalendar(api.db, asUser(anna.userId));
      return begin(work);
    });
    await linkMeetings(api.db, anna.userId, signal);
    expect(await state(anna)).toBeNull();
    expect((await read(anna, meetingId)).event.id).toBeNull();
  });

  test("never replaces one that a recorder sent, which can't be unlinked", async () => {
    const anna = await api.given.person();
    answer = { text: calendar(event("mine", -3)) };
    const sent = await meet(anna, -3, 60, { calendarEvent: { title: "Sent", attendees: [] } });
    await subscribe(anna);
    await sync();
    expect((await read(anna, sent.meetingId)).event).toMatchObject({ title: "Sent", externalId: null });
    await expect(unlinkEvent(api.db, asUser(anna.userId), sent.meetingId)).rejects.toMatchObject({
      message: MESSAGES.eventOfRecorder,
    });
  });

  test("stays away once its owner has unlinked it, which nobody else can", async () => {
    const [anna, ben] = [await api.given.person(), await api.given.person()];
    answer = { text: calendar(event("mine", -3, [invite(ben)])) };
    const { meetingId } = await meet(anna, -3, 60);
    await subscribe(anna);
    await sync();
    await expect(unlinkEvent(api.db, asUser(ben.userId), meetingId)).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
    expect((await read(anna, meetingId)).event.externalId).toBe("mine");
    const isFromCalendar = async () =>
      (await api.askFor<{ eventFromCalendar: boolean }>(anna, "meetings.get", { meetingId }))
        .eventFromCalendar;
    expect(await isFromCalendar()).toBe(true);
    const { workspaceId } = await api.given.company();
    for (const masksNames of [true, false])
      await api.db.insert(publicLinks).values({
        ...{ id: `lnk_${masksNames}`, hash: Buffer.from(`link ${masksNames}`), meetingId, workspaceId },
        ...{ scope: "summary", masksNames, expiresAt: "2100-01-01T00:00:00.000Z" },
      });
    for (let nth = 0; nth < 2; nth++) await unlinkEvent(api.db, asUser(anna.userId), meetingId);
    answer = { text: calendar(event("mine", -3, ["SUMMARY:Changed"])) };
    await again();
    await linkCompletedMeetings(api.db, signal);
    expect((await read(anna, meetingId)).event).toMatchObject({ id: null, attendees: [] });
    expect(await isFromCalendar()).toBe(false);
    // The names of its attendees are forgotten, and texts can have them.
    const links = await api.db.select().from(publicLinks).where(eq(publicLinks.meetingId, meetingId));
    expect(links.map(({ masksNames }) => masksNames)).toEqual([false]);
    await expect(unlinkEvent(api.db, asUser(anna.userId), "mtg_unknown")).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });
});

describe("upcoming", () => {
  test("prepares an event with the meetings of its series and people that the caller can read, and their open tasks", async () => {
    const company = await api.given.company();
    const [anna, ben, cole] = [
      await api.given.member(company),
      await api.given.member(company),
      await api.given.person(),
    ];
    const start = `DTSTART:${stamp(NOW - 7 * 24 * HOUR + 2 * HOUR)}`;
    const series = [
      "BEGIN:VEVENT",
      "UID:weekly",
      start,
      "DURATION:PT1H",
      "RRULE:FREQ=WEEKLY",
      "SUMMARY:Weekly",
    ];
    answer = { text: calendar([...series, invite(anna), invite(cole), "END:VEVENT"].join("\r\n")) };
    const tasks = [
      { text: "Write the plan", completed: false },
      { text: "Done", completed: true },
    ];
    const last = await meet(anna, -7 * 24 + 2, 50, { tasks, title: "Last week", startPrecision: "guess" });
    await api.db.execute(sql`update tasks set due_on = '2025-03-14' where meeting_id = ${last.meetingId}`);
    const speaks = [
      { speakerId: "s", speakerName: "Cole", speakerEmail: cole.email, text: "Hello all of you." },
    ];
    const withCole = await meet(anna, -20, 30, { transcript: speaks, title: "With Cole" });
    await meet(ben, -30, 30, { transcript: speaks, title: "Not Anna's" });
    await meet(anna, -40, 30, { title: "Alone" });
    await subscribe(anna);
    await sync();
    const [next] = (await upcoming(anna)).filter(({ startTime }) => Date.parse(startTime) > Date.now());
    const prepared = await api.askFor<Preparation>(anna, "upcoming.prepare", { eventId: next?.id });
    expect(prepared.meetings).toEqual([
      expect.objectContaining({ id: withCole.meetingId, series: false, startPrecision: null }),
      expect.objectContaining({ id: last.meetingId, series: true, startPrecision: "guess" }),
    ]);
    expect(prepared.tasks).toMatchObject([{ text: "Write the plan", due: "2025-03-14" }]);
    expect(prepared.event.attendees).toHaveLength(2);
    expect(await api.ask(ben, "upcoming.prepare", { eventId: next?.id })).toMatchObject({ status: 404 });
    expect(await upcoming(ben)).toEqual([]);
  });
});

test("erasing a person deletes the events with their address from others' calendars", async () => {
  const [anna, ben] = [await api.given.person(), await api.given.person()];
  answer = { text: calendar(event("with", 2, [invite(ben)]), event("without", 3)) };
  await subscribe(anna);
  await sync();
  await eraseElsewhere(api.db, OPERATOR, {
    ...{ emails: [ben.email], names: [], addressIds: [], personIds: [], isGuess: false },
  });
  expect((await upcoming(anna)).map(({ title }) => title)).toEqual(["Event without"]);
});
