import { LIMITS, RESPONSE_STATUSES } from "@minutes/contract";
import { readText } from "../text/read-text.js";
import type { CalendarEvent, ReadOptions, Tag, Task, Transcript, Turn } from "../transcript.js";
import { UNNAMED } from "../transcript.js";
import { get, getList, getText, listNotStored, toInstantText, toSpeech } from "./fields.js";
import type { JsonFormat } from "./format.js";
import { assignParticipants, haveSharedName, readOwnMarkdown } from "./own-markdown.js";
import { findEmail, type Person, toEmail, toEvent } from "./people.js";

/** Answers of `/v1` and bodies of webhooks: of Minutes, and of the service with the same interface. */
export const OWN_FORMATS: readonly JsonFormat[] = [
  {
    name: "a meeting of this API",
    shape: ["id", "title", "startTime", "transcript", "summary.markdown|summary.html|participants"],
    read: readMeeting,
  },
  {
    // The fields that the interface documents for the body of `meeting.completed`.
    name: "a `meeting.completed` body of this API",
    shape: [
      "metadata.event",
      "data.transcript[].speakerName|data.transcript[].text",
      "data.participants|data.event",
    ],
    read: (value, options) => {
      const meeting = readMeeting(get(value, "data"), options);
      return { ...meeting, startTime: meeting.startTime ?? toInstantText(get(value, "metadata.created")) };
    },
  },
  {
    name: "a meeting in a list of this API",
    shape: ["id", "title", "startTime", "userId"],
    read: (value) => ({
      ...UNNAMED,
      ...readFacts(value),
      remarks: ["The list has no transcript: import the answer of meetings.get."],
    }),
  },
  {
    name: "a transcript of this API",
    shape: ["segments[].text", "segments[].speakerName", "segments[].speakerId"],
    read: (value) => ({ ...UNNAMED, turns: readSegments(getList(value, "segments"), []) }),
  },
];

const readFacts = (value: unknown): Partial<Transcript> => ({
  id: getText(value, "id"),
  title: getText(value, "title", "event.title"),
  generatedTitle: getText(value, "generatedTitle"),
  startTime: toInstantText(get(value, "startTime", "event.scheduledTime")),
  endTime: toInstantText(get(value, "endTime")),
});

function readMeeting(value: unknown, options: ReadOptions): Transcript {
  const people = getList(value, "participants").map(
    (one): Person => ({ name: getText(one, "name"), email: toEmail(getText(one, "email")) }),
  );
  const facts = readFacts(value);
  const markdown = get(value, "transcript");
  const hasSummary = getText(value, "summary.markdown") !== undefined;
  const speech =
    typeof markdown === "string"
      ? readMarkdown(markdown, people, options)
      : { turns: readSegments(getList(value, "transcript"), people), unassigned: [] };
  return {
    ...speech,
    ...facts,
    ownerEmail: toEmail(getText(value, "user.email")),
    notes: hasSummary ? String(get(value, "summary.markdown")) : undefined,
    short: getText(value, "summary.short"),
    tasks: getList(value, "tasks").flatMap(readTask),
    tags: getList(value, "tags").flatMap(readTag),
    event: readEvent(get(value, "event"), facts),
    notStored: hasSummary ? [] : listNotStored(value, ["summary.html", "summary.short"]),
  };
}

/** Reads the transcript as Markdown. The participants are all speakers; nobody else is. */
function readMarkdown(
  markdown: string,
  people: readonly Person[],
  options: ReadOptions,
): Pick<Transcript, "turns" | "unassigned" | "doubts" | "remarks"> {
  if (markdown.trim() === "") return UNNAMED;
  const own = readOwnMarkdown(markdown);
  if (own) {
    const remarks = haveSharedName(people) ? [SHARED_NAMES] : [];
    return { turns: assignParticipants(own, people), unassigned: [], remarks };
  }
  const names = people.flatMap(({ name }) => name ?? []);
  const { turns, unassigned, doubts, remarks } = readText(markdown, {
    ...options,
    people: [...(options.people ?? []), ...names],
  });
  return {
    turns: turns.map((turn) => ({ ...turn, ...withEmail(people, turn.speaker ?? undefined) })),
    unassigned,
    doubts,
    remarks,
  };
}

const SHARED_NAMES =
  "Several participants have the same name; which of them said what can't be told from the transcript.";

const withEmail = (people: readonly Person[], name: string | undefined): Pick<Turn, "email"> => {
  const email = findEmail(people, name);
  return email === undefined ? {} : { email };
};

const readSegments = (list: readonly unknown[], people: readonly Person[]): readonly Turn[] =>
  toSpeech(
    list.map((one) => {
      const speaker = getText(one, "speakerName", "speakerId");
      return {
        speaker,
        email: toEmail(getText(one, "speakerEmail")) ?? findEmail(people, speaker),
        text: get(one, "text"),
        start: get(one, "startSeconds", "start"),
        end: get(one, "endSeconds", "end"),
      };
    }),
  ).turns;

function readTask(task: unknown): Task[] {
  const text = getText(task, "content", "text");
  if (text === undefined) return [];
  const email = toEmail(getText(task, "assignee.email"));
  const name = getText(task, "assignee.name") ?? email;
  return [
    {
      text,
      completed: get(task, "completed") === true,
      ...(name === undefined ? {} : { assignee: { name, ...(email === undefined ? {} : { email }) } }),
    },
  ];
}

function readTag(tag: unknown): Tag[] {
  const name = typeof tag === "string" ? tag.trim() : getText(tag, "name");
  const color = getText(tag, "color");
  if (name === undefined || name === "") return [];
  return [
    { name: name.slice(0, LIMITS.tagNameMax), ...(color && /^#[\dA-Fa-f]{6}$/.test(color) ? { color } : {}) },
  ];
}

/** Reads the event; null where it only repeats the meeting. */
function readEvent(event: unknown, facts: Partial<Transcript>): CalendarEvent | undefined {
  const statuses: ReadonlyMap<unknown, (typeof RESPONSE_STATUSES)[number]> = new Map(
    RESPONSE_STATUSES.map((status) => [status, status]),
  );
  const attendees = getList(event, "attendees").flatMap((one) => {
    const email = toEmail(getText(one, "email"));
    const status = statuses.get(get(one, "responseStatus"));
    if (email === undefined) return [];
    return [
      {
        name: getText(one, "name") ?? email,
        email,
        organizer: get(one, "organizer") === true,
        ...(status ? { responseStatus: status } : {}),
      },
    ];
  });
  const [title, scheduledTime, endTime] = [
    getText(event, "title"),
    toInstantText(get(event, "scheduledTime")),
    toInstantText(get(event, "endTime")),
  ];
  const own = toEvent([], {
    externalId: getText(event, "externalId"),
    title: title === facts.title ? undefined : title,
    scheduledTime: scheduledTime === facts.startTime ? undefined : scheduledTime,
    endTime: endTime === facts.endTime ? undefined : endTime,
  });
  // A linked event can have no fields of its own.
  const linked = getText(event, "id") !== undefined;
  if (attendees.length === 0 && !own && !linked) return undefined;
  return { ...own, attendees: attendees.slice(0, LIMITS.attendeesMax) };
}
