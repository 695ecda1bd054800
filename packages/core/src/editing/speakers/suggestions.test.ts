import { type MeetingFacts, openTestApi, type TestApi } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../../access/actor.js";
import { eraseFromMeetings, findSought } from "../../erasure/index.js";
import { createSpeakerCalls, FACTS, said } from "./testing/calls.js";

let api: TestApi;
let given: TestApi["given"];
beforeAll(async () => {
  api = await openTestApi();
  given = api.given;
});
afterAll(() => api.close());

const { edit, listSpeakers } = createSpeakerCalls(() => api);

describe("suggestions", () => {
  test("attendees first, then people of earlier meetings of the series or with the title, then members", async () => {
    const company = await given.company();
    const anna = await given.member(company, { name: "Anna" });
    const boris = await given.member(company);
    const earlier = (facts: MeetingFacts, name: string, owner = anna) =>
      given.meeting(owner, {
        ...{ title: "Else", startTime: "2025-03-07T09:00:00.000Z", ...facts },
        transcript: [
          { ...said("x", name, 0, 1), speakerEmail: `${name.toLowerCase()}.sug@example.com` },
          said("y", "Guest", 1, 2),
        ],
      });
    await earlier({ title: "Weekly" }, "Titus");
    await earlier({ calendarEvent: { externalId: "series_20250307T090000Z" } }, "Serena");
    await earlier({ calendarEvent: { externalId: "other_20250307T090000Z" } }, "Otto");
    await earlier({ title: "Weekly", startTime: "2025-04-01T09:00:00.000Z" }, "Later");
    await earlier({ title: "Weekly" }, "Secret", boris);
    const meeting = await given.meeting(anna, FACTS);
    const { suggestions } = await listSpeakers(meeting);
    expect(suggestions.map(({ name, reason }) => `${reason} ${name}`)).toEqual([
      "attendee Ada Lovelace",
      "series Serena",
      "series Titus",
      ...[anna, boris, company.admin].map(({ name }) => `member ${name}`).toSorted(),
    ]);
    const titus = suggestions.find(({ name }) => name === "Titus");
    expect(titus?.personId).toMatch(/^per_/);
    await edit(meeting, "assign", { speakerLabel: "s1", baseVersion: 1, personId: titus?.personId });
    const rest = (await listSpeakers(meeting)).suggestions;
    expect(rest.map(({ name }) => name)).not.toContain("Titus");
  });

  test("never an erased attendee", async () => {
    const company = await given.company();
    const anna = await given.member(company, { name: "Anna" });
    const attendees = ["Eve", "Ada"].map((name) => ({
      name,
      email: `${name.toLowerCase()}.gone@example.com`,
    }));
    const meeting = await given.meeting(anna, { ...FACTS, calendarEvent: { attendees } });
    const listAttendees = async () =>
      (await listSpeakers(meeting)).suggestions
        .filter(({ reason }) => reason === "attendee")
        .map(({ name }) => name);
    expect(await listAttendees()).toEqual(["Eve", "Ada"]);
    const sought = await findSought(api.db, "eve.gone@example.com");
    expect(await eraseFromMeetings(api.db, OPERATOR, sought, 10)).toEqual([meeting.meetingId]);
    expect(await listAttendees()).toEqual(["Ada"]);
  });
});
