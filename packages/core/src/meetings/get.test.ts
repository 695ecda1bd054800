import type { MeetingToEdit } from "@minutes/contract";
import { observeStatements, schema } from "@minutes/db";
import { type MeetingFacts, needs, openTestApi, type TestApi } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let api: TestApi;
let given: TestApi["given"];
beforeAll(async () => {
  api = await openTestApi();
  given = api.given;
});
afterAll(() => api.close());

const detailOf = async (facts: MeetingFacts) => {
  const anna = await given.person({ name: "Anna" });
  const meeting = await given.meeting(anna, facts);
  const detail = await api.data(anna.key, "me/meetings.get", { meetingId: meeting.meetingId });
  return { anna, meeting, detail };
};
const startTime = "2025-05-05T10:00:00.000Z";

describe("calendar event", () => {
  test("200: without an event, it has the meeting's data", async () => {
    const { detail } = await detailOf({ title: "Standup", startTime, endTime: "2025-05-05T10:15:00Z" });
    expect(detail.event).toEqual({
      id: null,
      externalId: null,
      title: "Standup",
      scheduledTime: startTime,
      endTime: "2025-05-05T10:15:00.000Z",
      attendees: [],
    });
  });

  test("200: each missing field of an event falls back to the meeting", async () => {
    const { detail } = await detailOf({ title: "Standup", startTime, calendarEvent: { externalId: "g-1" } });
    expect(detail.event).toEqual({
      id: expect.stringMatching(/^evt_/),
      externalId: "g-1",
      title: "Standup",
      scheduledTime: startTime,
      endTime: null,
      attendees: [],
    });
  });

  test("200: the event's own data takes precedence, and the list has the event's id", async () => {
    const { anna, detail } = await detailOf({
      title: "Standup",
      startTime,
      calendarEvent: {
        title: "Daily",
        scheduledTime: "2025-05-05T09:55:00Z",
        endTime: "2025-05-05T10:10:00Z",
      },
    });
    expect(detail.event).toMatchObject({
      title: "Daily",
      externalId: null,
      scheduledTime: "2025-05-05T09:55:00.000Z",
      endTime: "2025-05-05T10:10:00.000Z",
    });
    expect(detail.title).toBe("Standup");
    const { meetings } = await api.data(anna.key, "me/meetings.list");
    expect(meetings[0]?.calendarEventId).toBe(detail.event.id);
  });

  test("200: attendees in order, with every response status", async () => {
    const statuses = ["accepted", "declined", "tentative", "needsAction", undefined] as const;
    const { detail } = await detailOf({
      calendarEvent: {
        attendees: statuses.map((responseStatus, at) => ({
          name: `Invitee ${at}`,
          email: `INVITEE${at}@Example.com`,
          ...(responseStatus ? { responseStatus } : {}),
          organizer: at === 1,
        })),
      },
    });
    expect(detail.event.attendees).toEqual(
      statuses.map((responseStatus, at) => ({
        name: `Invitee ${at}`,
        email: `invitee${at}@example.com`,
        responseStatus: responseStatus ?? null,
        organizer: at === 1,
      })),
    );
    expect(detail.participants).toEqual([]);
  });
});

describe("transcript and participants", () => {
  test("200: speakers are bold, and only speakers are participants, in order of their first words", async () => {
    const { detail } = await detailOf({
      transcript: [
        { speakerId: "b", speakerName: "Ben", text: "Good morning." },
        {
          speakerId: "a",
          speakerName: "Anna",
          speakerEmail: "anna@example.com",
          text: "Morning!\nAll well?",
        },
        { speakerId: "b", speakerName: "Ben", speakerEmail: "ben@example.com", text: "Yes." },
      ],
      calendarEvent: { attendees: [{ name: "Absent", email: "absent@example.com" }] },
    });
    expect(detail.transcript).toBe(
      "**Ben**: Good morning.\n\n**Anna**: Morning!\nAll well?\n\n**Ben**: Yes.",
    );
    expect(detail.participants).toEqual([
      { id: expect.stringMatching(/^per_/), name: "Ben", email: "ben@example.com" },
      { id: expect.stringMatching(/^per_/), name: "Anna", email: "anna@example.com" },
    ]);
  });

  test("200: a name can't end its own bold formatting", async () => {
    const { detail } = await detailOf({
      transcript: [{ speakerId: "x", speakerName: "A** evil *_`\\", text: "Hi" }],
    });
    expect(detail.transcript).toBe("**A\\*\\* evil \\*\\_\\`\\\\**: Hi");
    expect(detail.participants[0]?.name).toBe("A** evil *_`\\");
  });

  test.each([
    ["**Boss**: Dismiss Ben.", "\\*\\*Boss\\*\\*: Dismiss Ben."],
    ["- __Boss__: Dismiss Ben.", "- \\_\\_Boss\\_\\_: Dismiss Ben."],
    ["\u200b<b>Boss</b>: Dismiss Ben.", "\u200b\\<b>Boss\\</b>: Dismiss Ben."],
    ["\\**Boss**: Dismiss Ben.", "\\\\\\*\\*Boss\\*\\*: Dismiss Ben."],
    ["# Boss", "\\# Boss"],
    ["```", "\\`\\`\\`"],
  ])("200: a line of a turn can't read as another speaker or hide the next turn: %j", async (said, shown) => {
    const ben = { speakerId: "b", speakerName: "Ben", text: "*Never*." };
    for (const end of ["\n\n", "\n", "\r", "\u2028"]) {
      const anna = { speakerId: "a", speakerName: "Anna", text: `Hello.${end}${said}` };
      const { detail } = await detailOf({ transcript: [anna, ben] });
      expect(detail.transcript).toBe(`**Anna**: Hello.${end}${shown}\n\n**Ben**: *Never*.`);
    }
  });

  test("200: without a transcript both are empty", async () => {
    const { detail } = await detailOf({});
    expect([detail.transcript, detail.participants]).toEqual(["", []]);
  });
});

describe("summary", () => {
  test("200: Markdown unchanged, safe HTML, a short line", async () => {
    const markdown = "# Result\n\nWe *agreed*. <script>alert(1)</script>";
    const { detail } = await detailOf({ summary: { markdown } });
    expect(detail.summary.markdown).toBe(markdown);
    expect(detail.summary.html).toContain("<em>agreed</em>");
    expect(detail.summary.html).not.toContain("<script");
    expect(detail.summary.short).toBe("We agreed.");
  });

  test("200: without one, its three fields are empty strings", async () => {
    const { detail } = await detailOf({});
    expect(detail.summary).toEqual({ markdown: "", html: "", short: "" });
  });

  test("200: a locked one is empty for both key kinds, without additional fields", async () => {
    const company = await given.company();
    const anna = await given.member(company);
    const { meetingId } = await given.meeting(anna, { summary: { markdown: "Secret", short: "Secret" } });
    await api.db
      .update(schema.summaries)
      .set({ locked: true })
      .where(eq(schema.summaries.meetingId, meetingId));
    for (const [key, route] of [
      [anna.key, "me/meetings.get"],
      [company.key, "workspace/meetings.get"],
    ] as const)
      expect((await api.data(key, route, { meetingId })).summary).toEqual({
        markdown: "",
        html: "",
        short: "",
      });
    const console = await api.askFor<MeetingToEdit>(anna, "meetings.get", { meetingId });
    expect(console).toMatchObject({ summaryLocked: true, summary: { html: "" }, recordedBy: anna.name });
    const { meetingId: unsent } = await given.meeting(anna, {
      tasks: [{ text: "Order the rotor", due: "2026-03-14" }, { text: "Ask Ben" }],
    });
    const without = await api.askFor<MeetingToEdit>(anna, "meetings.get", { meetingId: unsent });
    expect([without.summaryLocked, without.summary.html]).toEqual([false, ""]);
    expect(without.tasks.map(({ due }) => due)).toEqual(["2026-03-14", null]);
  });
});

test("200: tasks in order, with and without an assignee; tags by name", async () => {
  const { detail } = await detailOf({
    tasks: [
      { text: " First ", assignee: { name: "Ben" } },
      { text: "Second", completed: true, assignee: { name: "Cleo", email: "Cleo@Example.com" } },
      { text: "Third" },
    ],
    tags: [{ name: "zeta", color: "#00FF00" }, { name: "Alpha" }],
  });
  expect(detail.tasks).toEqual([
    { content: "First", completed: false, assignee: { name: "Ben", email: null } },
    { content: "Second", completed: true, assignee: { name: "Cleo", email: "cleo@example.com" } },
    { content: "Third", completed: false, assignee: null },
  ]);
  expect(detail.tags).toEqual([
    { name: "Alpha", color: expect.stringMatching(/^#[0-9A-F]{6}$/) },
    { name: "zeta", color: "#00FF00" },
  ]);
});

test("200: a reader sees all the owner's tags, and the owner's address", async () => {
  const company = await given.company();
  const [anna, ben] = [await given.member(company), await given.member(company)];
  const meeting = await given.meetingSharedDirectly(anna, ben, { tags: [{ name: "private" }] });
  const detail = await api.data(ben.key, "me/meetings.get", { meetingId: meeting.meetingId });
  expect(detail.tags.map((tag) => tag.name)).toEqual(["private"]);
  expect(detail.user).toEqual({ id: anna.userId, email: anna.email });
});

test("404: an unknown id; 400: no id, for both key kinds", async () => {
  const company = await given.company();
  for (const [key, route] of [
    [company.admin.key, "me/meetings.get"],
    [company.key, "workspace/meetings.get"],
  ] as const) {
    const unknown = await api.call(key, route, { meetingId: "mtg_none" });
    expect([unknown.status, unknown.body]).toEqual([404, { error: "Meeting not found" }]);
    for (const input of [undefined, {}, { meetingId: "" }, { meetingId: "x".repeat(129) }]) {
      const answer = await api.call(key, route, input);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual({ error: expect.any(String) });
    }
  }
});

describe("a transcript that is read in parts", () => {
  const say = (text: string) => ({ speakerId: "s", speakerName: "Ann", text });
  const write = (texts: readonly string[]) => texts.map((text) => `**Ann**: ${text}`).join("\n\n");

  test.each([2_000, 2_001, 4_500])("200: all of its %i turns are there, in order", async (count) => {
    const texts = Array.from({ length: count }, (_, n) => `Turn ${n}`);
    const { detail } = await detailOf({ transcript: texts.map(say) });
    expect(detail.transcript).toBe(write(texts));
  });

  test("200: one that changes between two parts is read again", needs("embedded"), async () => {
    const anna = await given.person();
    const said = (edge: string) => Array.from({ length: 2_001 }, (_, n) => (n % 2_000 ? "Between" : edge));
    const { meetingId } = await given.meeting(anna, { transcript: said("Before").map(say) });
    let changed: Promise<unknown> | undefined;
    observeStatements(api.db, ({ name }) => {
      if (!name.startsWith("meeting_")) return;
      changed ??= api.db.transaction(async (tx) => {
        await tx.execute(sql`update transcript_segments set text = 'After'
          where meeting_id = ${meetingId} and position in (0, 2000)`);
        await tx.execute(sql`update meetings set changed_in = 0 where id = ${meetingId}`);
      });
    });
    const detail = await api.data(anna.key, "me/meetings.get", { meetingId });
    await changed;
    expect([changed === undefined, detail.transcript]).toEqual([false, write(said("After"))]);
  });
});
