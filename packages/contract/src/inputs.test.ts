import { anyCharacter } from "@minutes/testing/any-character";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import {
  countCodePoints,
  formatCursor,
  Id,
  LIMITS,
  ListMyMeetings,
  MeetingCursor,
  MeetingImport,
  PLAN_LIMITS,
  SplitSpeaker,
  TaskCursor,
  toInputSentence,
  UpdateTask,
} from "./index.js";

const sentence = (schema: z.ZodType, input: unknown) => {
  const result = schema.safeParse(input);
  return result.success ? null : toInputSentence(result.error.issues);
};

describe("cursors", () => {
  const time = "2025-01-06T09:30:00.123Z";
  const id = fc
    .string({ minLength: 1, maxLength: 60, unit: anyCharacter })
    .filter((text) => !text.includes("\0"));

  test("parse back to the position they were formatted from, whatever the id", () => {
    fc.assert(
      fc.property(id, (id) => {
        if (countCodePoints(id) > 128) return;
        const cursor = formatCursor(time, id);
        if (cursor.length > LIMITS.cursorMax) return;
        expect(MeetingCursor.parse(cursor)).toEqual({ time, id });
        expect(TaskCursor.parse(cursor)).toEqual({ time, id });
      }),
    );
  });

  test("fit the longest id", () => {
    expect(TaskCursor.parse(formatCursor(time, "x".repeat(LIMITS.idMax)))).toMatchObject({ time });
  });

  test("of tasks can be a time alone; those of meetings can't", () => {
    expect(TaskCursor.parse(formatCursor(time, null))).toEqual({ time, id: null });
    expect(MeetingCursor.safeParse(time).success).toBe(false);
  });

  test("never throw", () => {
    fc.assert(fc.property(fc.string(), (text) => typeof TaskCursor.safeParse(text).success === "boolean"));
  });
});

const SEGMENT = { speakerId: "s", speakerName: "Anna", text: "Hello" };
const GUEST = { name: "Anna", email: "a@example.com" };
const ANSWER = "calendarEvent.attendees[0].responseStatus";
const STATUSES = "accepted, declined, tentative, needsAction";

describe("the message for an invalid input", () => {
  test.each([
    [{ limit: 0 }, "limit must be an integer from 1 to 100."],
    [{ cursor: "x" }, "Invalid cursor format"],
    [{ x: 1, limit: 0 }, "limit must be an integer from 1 to 100."],
    [{ "a b": 1 }, 'Unknown field: "a b".'],
    [{ ["k".repeat(500)]: 1 }, `Unknown field: "${"k".repeat(40)}…".`],
    [{ "\ud800": 1 }, 'Unknown field: "\\ud800".'],
  ])("%j: %s", (input, expected) => {
    expect(sentence(ListMyMeetings, input)).toBe(expected);
  });

  test.each([
    ["externalId must be given", { externalId: undefined }],
    ["externalId must be a string", { externalId: 1 }],
    ["externalId must be a text of 1 to 256 characters", { externalId: "" }],
    ["ownerEmail must be an e-mail address", { ownerEmail: "me" }],
    ["tasks must be a list", { tasks: {} }],
    ["tags must not be above 100 entries", { tags: Array(101).fill({ name: "a" }) }],
    ["transcript[0].start must not be below 0", { transcript: [{ ...SEGMENT, start: -1 }] }],
    [
      `${ANSWER} must be one of ${STATUSES}`,
      { calendarEvent: { attendees: [{ ...GUEST, responseStatus: "no" }] } },
    ],
  ])("%s", (expected, facts) => {
    const whole = {
      externalId: "a",
      ownerEmail: "a@example.com",
      title: "T",
      startTime: "2025-01-06T09:00:00Z",
    };
    expect(sentence(MeetingImport, { ...whole, ...facts })).toBe(expected);
  });

  test("says that a list must not be empty", () => {
    const split = { meetingId: "m", speakerLabel: "s", baseVersion: 1, turns: [], name: "Ada" };
    expect(sentence(SplitSpeaker, split)).toBe("turns must not be an empty list");
  });

  test("is one well-formed, short line for any JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (input) => {
        for (const schema of [ListMyMeetings, UpdateTask, MeetingImport]) {
          const text = sentence(schema, input);
          if (text === null) continue;
          expect(text.length).toBeLessThan(300);
          expect(text.isWellFormed()).toBe(true);
          expect(text).not.toMatch(/[[{]\s*"code"/);
        }
      }),
    );
  });
});

test("lengths count code points; text that can't be stored is refused", () => {
  expect(countCodePoints("🦀é")).toBe(2);
  for (const good of ["x", "🦀".repeat(128), "\u202e", "' --"]) expect(Id.safeParse(good).success).toBe(true);
  for (const bad of ["", "🦀".repeat(129), "a\0", "\ud83e", "\udd80x", 5, null])
    expect(Id.safeParse(bad).success).toBe(false);
});

test("every limit of the contract", () => {
  expect(LIMITS).toMatchObject({
    ratePerMinute: 100,
    rateWindowSeconds: 60,
    pageSizeDefault: 50,
    pageSizeMax: 100,
    searchResults: 40,
    searchDefaultMonths: 6,
    taskTextMax: 10_000,
    personalKeysPerUser: 3,
    workspaceKeysPerWorkspace: 10,
  });
  const table = Object.entries(PLAN_LIMITS).map(([plan, limits]) => [plan, ...Object.values(limits)]);
  expect(table).toEqual([
    ["free", false, false, 10, 30, 50],
    ["plus", false, true, 20, 120, 50],
    ["pro", true, true, null, 300, 50],
    ["team", true, true, null, 300, 100],
    ["enterprise", true, true, null, 300, 250],
  ]);
});

describe("an imported meeting", () => {
  const meeting = {
    externalId: "1",
    ownerEmail: "A@Example.com",
    title: " T ",
    startTime: "2025-01-01T10:00:00+01:00",
  };

  test("is normalized", () => {
    expect(MeetingImport.parse(meeting)).toMatchObject({
      ownerEmail: "a@example.com",
      title: "T",
      startTime: "2025-01-01T09:00:00.000Z",
      transcript: [],
      tasks: [],
      tags: [],
    });
  });

  test.each([
    [{ startTime: "2025-01-01" }, "startTime"],
    [{ endTime: "2024-12-31T00:00:00Z" }, "endTime"],
    [{ ownerEmail: "nobody" }, "ownerEmail"],
    [{ title: " " }, "title"],
    [{ tags: [{ name: "x", color: "red" }] }, "tags[0].color"],
    [{ tasks: [{ text: "" }] }, "tasks[0].text"],
    [{ transcript: [{ speakerId: "a", speakerName: "b", text: "a\0" }] }, "transcript[0].text"],
    [{ calendarEvent: { attendees: [{ name: "x", email: "y" }] } }, "calendarEvent.attendees[0].email"],
    [{ extra: 1 }, 'Unknown field: "extra"'],
  ])("%j is refused with its path", (facts, path) => {
    expect(sentence(MeetingImport, { ...meeting, ...facts })).toContain(path);
  });
});

test("stops validating a list at its first invalid item", () => {
  const meeting = { externalId: "x", ownerEmail: "a@x.de", title: "T", startTime: "2025-01-01T10:00:00Z" };
  const parse = (fields: object) => MeetingImport.safeParse({ ...meeting, ...fields }).error?.issues ?? [];
  const segment = { speakerId: "s", speakerName: "A", text: "x" };
  const [first, ...others] = parse({ transcript: [segment, ...Array(50_000).fill({})] });
  expect(first?.path).toEqual(["transcript", 1, "speakerId"]);
  expect(others.length).toBeLessThan(5);
  expect(parse({ transcript: Array(LIMITS.segmentsMax).fill(segment) })).toEqual([]);
  expect(parse({ transcript: Array(LIMITS.segmentsMax + 1).fill(segment) })).toMatchObject([
    { path: ["transcript"], code: "too_big" },
  ]);
  expect(parse({ transcript: "none" })).toMatchObject([{ path: ["transcript"] }]);
});

test("a transcript, a calendar event and the tasks of a meeting name a bounded number of people", () => {
  const meeting = { externalId: "x", ownerEmail: "a@x.de", title: "T", startTime: "2025-01-01T10:00:00Z" };
  const many = (count: number) => {
    const people = Array.from({ length: count }, (_, at) => ({ name: `P${at}`, email: `p${at}@x.de` }));
    return {
      transcript: people.flatMap(({ name, email }) =>
        Array(2).fill({ speakerId: name, speakerName: name, speakerEmail: email, text: "x" }),
      ),
      calendarEvent: { attendees: people },
      tasks: people.map((assignee) => ({ text: "x", assignee })),
    };
  };
  expect(MeetingImport.safeParse({ ...meeting, ...many(1_000) }).success).toBe(true);
  const { transcript, calendarEvent, tasks } = many(1_001);
  expect(sentence(MeetingImport, { ...meeting, transcript })).toBe(
    "transcript must have at most 1,000 speakers",
  );
  expect(sentence(MeetingImport, { ...meeting, calendarEvent })).toContain(
    "calendarEvent.attendees must not be above",
  );
  expect(sentence(MeetingImport, { ...meeting, tasks })).toContain("tasks must not be above");
});
