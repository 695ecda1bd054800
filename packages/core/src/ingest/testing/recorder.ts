import { schema } from "@minutes/db";
import { type Person, readPayload, type TestApi } from "@minutes/testing";
import { eq } from "drizzle-orm";
import { expect } from "vitest";

export const WORDS = "We talked about the turbines, the budget and who will call the supplier next week.";

export type Answer = { meetingId: string; state: string; notStored?: string[] };
let last = 0;

/** Creates a recorder of a company with two members, and a meeting not sent yet. */
export async function createRecorder(api: TestApi, plan: "free" | "team" = "team") {
  const number = ++last;
  const company = await api.given.company({ plan });
  const [anna, boris] = [await api.given.member(company), await api.given.member(company)];
  const key = await api.given.ingestKey(company);
  const meeting = {
    externalId: `overwrite-${number}`,
    ownerEmail: anna.email,
    title: "Weekly",
    startTime: "2025-03-14T09:00:00.000Z",
    endTime: "2025-03-14T09:15:00.000Z",
    transcript: [{ speakerId: "s1", speakerName: "Anna", speakerEmail: anna.email, text: WORDS }],
    summary: { markdown: "Turbines are late." },
    tasks: [{ text: "Call the supplier" }, { text: "Write to the board" }, { text: "Water the plants" }],
    tags: [{ name: "Weekly" }],
    calendarEvent: { externalId: "cal-1", attendees: [{ name: "Boris", email: boris.email }] },
  };
  const call = (facts: object = {}) => api.call(key, "ingest/meetings.import", { ...meeting, ...facts });
  const send = async (facts: object = {}) => {
    const answer = await call(facts);
    expect(answer).toMatchObject({ status: 200 });
    return readPayload<Answer>(answer);
  };
  const get = (meetingId: string, who: Person = anna) => api.data(who.key, "me/meetings.get", { meetingId });
  const taskList = async () => (await api.data(anna.key, "me/tasks.list", {})).tasks;
  return { number, company, anna, boris, key, meeting, call, send, get, taskList };
}

export const refusal = (error: string) => ({ status: 409, body: { error } });
export const DELETED = refusal("A meeting with this externalId was deleted and is not imported again.");
export const DIFFERENT = refusal("A different meeting with this externalId exists.");
export const ERASED = refusal(
  "A person was erased from this meeting, so it can't be replaced or restored. Send the content under another externalId.",
);

/** The meeting's new content. */
export const CHANGED = {
  replace: true,
  title: "Weekly, corrected",
  startTime: "2025-03-14T09:05:00.000Z",
  endTime: "2025-03-14T09:25:00.000Z",
  transcript: [
    {
      speakerId: "s1",
      speakerName: "Anna",
      text: "Nobody mentioned wind mills or gearboxes, only the xylophone.",
    },
    { speakerId: "s2", speakerName: "Boris", text: "Certainly so." },
  ],
  summary: { markdown: "Gearboxes are **late**." },
  tasks: [
    { text: "Order gearboxes" },
    { text: "Write to the board", assignee: { name: "Boris" } },
    { text: "Call the supplier" },
  ],
};

/** Returns the ID of the workspace that a person is in now. */
export const findWorkspace = async (api: TestApi, { userId }: Person): Promise<string> => {
  const [member] = await api.db.select().from(schema.members).where(eq(schema.members.userId, userId));
  return member?.workspaceId ?? "";
};
