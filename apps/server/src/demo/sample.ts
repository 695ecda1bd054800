import { readdir, readFile } from "node:fs/promises";
import { Email, MeetingImport, Name, PLANS } from "@minutes/contract";
import { schema } from "@minutes/db";
import { z } from "zod";

const Workspace = z.strictObject({
  name: Name,
  plan: z.enum(PLANS),
  /** The personal key of the first person is displayed. */
  people: z.array(z.strictObject({ name: Name, email: Email, role: z.enum(schema.ROLES) })).min(1),
  tags: z.array(z.strictObject({ ownerEmail: Email, name: z.string(), color: z.string() })),
  meetingShares: z.array(z.strictObject({ externalId: z.string(), withEmail: Email })),
  tagShares: z.array(z.strictObject({ ownerEmail: Email, tag: z.string(), withEmail: Email })),
});

/** A meeting of the sample, dated relative to the day the sample is loaded. */
const WrittenMeeting = z.looseObject({
  ownerEmail: Email,
  daysAgo: z.int().positive(),
  /** UTC. */
  at: z.string().regex(/^\d\d:\d\d$/),
  /** Null: the recording has no end. */
  minutes: z.number().nullable(),
  calendarEvent: z.looseObject({}).optional(),
  tags: z.array(z.string()),
});

// Next to this file in the sources, and next to the bundle once built.
const folder = new URL("./sample/", import.meta.url);
const readJsonFile = async (path: string): Promise<unknown> =>
  JSON.parse(await readFile(new URL(path, folder), "utf8"));

/** The sample as described by its files, with meetings ready to import, oldest first. */
export interface WrittenSample {
  readonly workspace: z.output<typeof Workspace>;
  readonly meetings: readonly MeetingImport[];
}

/** Reads the sample's files, dated relative to `now`. */
export async function readWrittenSample(now: Date): Promise<WrittenSample> {
  const workspace = Workspace.parse(await readJsonFile("workspace.json"));
  const names = (await readdir(new URL("meetings/", folder))).filter((name) => name.endsWith(".json"));
  const meetings = await Promise.all(
    names.map(async (name) =>
      toMeetingImport(WrittenMeeting.parse(await readJsonFile(`meetings/${name}`)), workspace, now),
    ),
  );
  return { workspace, meetings: meetings.sort((a, b) => (a.startTime < b.startTime ? -1 : 1)) };
}

function toMeetingImport(
  { daysAgo, at, minutes, tags, calendarEvent, ...rest }: z.output<typeof WrittenMeeting>,
  workspace: WrittenSample["workspace"],
  now: Date,
): MeetingImport {
  const day = new Date(now.getTime() - daysAgo * 86_400_000).toISOString().slice(0, 10);
  const startTime = `${day}T${at}:00.000Z`;
  const getColor = (name: string) =>
    workspace.tags.find((tag) => tag.name === name && tag.ownerEmail === rest.ownerEmail)?.color;
  return MeetingImport.parse({
    ...rest,
    startTime,
    ...(minutes === null
      ? {}
      : { endTime: new Date(Date.parse(startTime) + minutes * 60_000).toISOString() }),
    ...(calendarEvent ? { calendarEvent: { ...calendarEvent, scheduledTime: startTime } } : {}),
    tags: tags.map((name) => ({ name, color: getColor(name) })),
  });
}
