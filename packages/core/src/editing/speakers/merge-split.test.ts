import type { MeetingVersion, PersonDetail } from "@minutes/contract";
import { schema } from "@minutes/db";
import { openTestApi, type TestApi } from "@minutes/testing";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSpeakerCalls } from "./testing/calls.js";

const { meetingVersionContents } = schema;

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

const { edit, listSpeakers, read, findByPerson, askFor, assigneesOf, annaWithMeeting } = createSpeakerCalls(
  () => api,
);

describe("200: speakers are merged and split", () => {
  test("a merge gives turns and tasks to the other speaker, and can be undone", async () => {
    const { anna, meeting } = await annaWithMeeting();
    const { meetingId } = meeting;
    const before = await read(meeting);
    const merged = await edit(meeting, "merge", { speakerLabel: "s1", intoLabel: "s2", baseVersion: 1 });
    expect(merged).toMatchObject({ version: 2, speakerLabel: "s2", formerNameInSummary: 2 });
    const after = await read(meeting);
    expect(after.participants.map(({ name }) => name)).toEqual(["Speaker 2", "Speaker 3"]);
    expect(after.participants[0]?.id).toBe(before.participants[1]?.id);
    expect(after.tasks[0]?.assignee).toEqual({ name: "Speaker 2", email: null });
    expect(await findByPerson(anna, "Speaker 1")).toEqual([]);
    expect((await listSpeakers(meeting)).speakers[0]).toMatchObject({ turns: 3, talkSeconds: 9 });
    await askFor(anna, "meetings.restoreVersion", { meetingId, version: 1, baseVersion: 2 });
    expect(await read(meeting)).toEqual(before);
  });

  test("a merge of two speakers who are the same person keeps the person of their tasks", async () => {
    const { anna, meeting } = await annaWithMeeting();
    const who = { name: "Zoe", email: "zoe.twice@example.com" };
    await edit(meeting, "assign", { speakerLabel: "s1", baseVersion: 1, ...who });
    await edit(meeting, "assign", { speakerLabel: "s2", baseVersion: 2, ...who });
    const [zoe] = (await read(meeting)).participants;
    await edit(meeting, "merge", { speakerLabel: "s1", intoLabel: "s2", baseVersion: 3 });
    expect(await assigneesOf(anna)).toEqual(expect.arrayContaining([zoe]));
  });

  test("the talk time of a speaker is null if no turn has a start and an end", async () => {
    const turn = { speakerId: "s1", speakerName: "Zoe", text: "Hello." };
    const { anna, meeting } = await annaWithMeeting({ transcript: [turn, { ...turn, start: 3 }] });
    const { speakers } = await listSpeakers(meeting);
    expect(speakers).toMatchObject([{ turns: 2, talkSeconds: null }]);
    const [{ personId } = { personId: "" }] = speakers;
    // A speaker enters the directory when they are assigned.
    await edit(meeting, "assign", { speakerLabel: "s1", baseVersion: 1, personId });
    const shown = await askFor<PersonDetail>(anna, "people.get", { personId });
    expect(shown.recentMeetings).toMatchObject([{ turns: 2, talkSeconds: null }]);
  });

  test("a split moves turns to a new speaker, and can be undone", async () => {
    const { anna, meeting } = await annaWithMeeting();
    const { meetingId } = meeting;
    const before = await read(meeting);
    const split = await edit(meeting, "split", {
      ...{ speakerLabel: "s1", baseVersion: 1, turns: [2, 2], name: "Zoe", email: "zoe.split@example.com" },
    });
    expect(split.speakerLabel).toMatch(/^spk_/);
    const { speakers } = await listSpeakers(meeting);
    expect(speakers).toMatchObject([
      { speakerLabel: "s1", turns: 1, talkSeconds: 2, named: false },
      { speakerLabel: "s2", turns: 1 },
      { speakerLabel: "s3", turns: 1 },
      { speakerLabel: split.speakerLabel, name: "Zoe", turns: 1, talkSeconds: 4, named: true },
    ]);
    expect(await findByPerson(anna, "Zoe")).toEqual([meetingId]);
    await askFor(anna, "meetings.restoreVersion", { meetingId, version: 1, baseVersion: 2 });
    expect(await read(meeting)).toEqual(before);
  });

  test("every version has the speakers and words that it had, and can be restored", async () => {
    const { anna, meeting } = await annaWithMeeting();
    const { meetingId } = meeting;
    const readTurns = async () => {
      const { segments } = await askFor<MeetingVersion>(anna, "meetings.transcript", { meetingId });
      return segments.map(({ speakerName, text }) => [speakerName, text]);
    };
    const turnsAt: (readonly string[][])[] = [[], await readTurns()];
    let baseVersion = 1;
    const change = async (procedure: string, input: object) => {
      await askFor(anna, procedure, { meetingId, baseVersion: baseVersion++, ...input });
      turnsAt.push(await readTurns());
    };
    await change("speakers.split", { speakerLabel: "s1", turns: [2], name: "Zoe" });
    await change("meetings.updateTurn", { turn: 2, spokenText: "It woke up." });
    const { speakers } = await listSpeakers(meeting);
    const zoe = speakers.find(({ name }) => name === "Zoe")?.speakerLabel;
    await change("speakers.merge", { speakerLabel: zoe, intoLabel: "s2" });
    await change("speakers.split", { speakerLabel: "s2", turns: [1], name: "Yan" });
    await change("meetings.updateTurn", { turn: 1, spokenText: "It yawned." });
    await change("speakers.merge", { speakerLabel: "s2", intoLabel: "s1" });
    expect(new Set(turnsAt.map((turns) => JSON.stringify(turns))).size).toBe(turnsAt.length);
    for (const [version, turns] of [...turnsAt.entries()].slice(1, -1)) {
      const { segments } = await askFor<MeetingVersion>(anna, "meetings.getVersion", { meetingId, version });
      expect(segments.map(({ speakerName, text }) => [speakerName, text])).toEqual(turns);
      await askFor(anna, "meetings.restoreVersion", { meetingId, version, baseVersion: baseVersion++ });
      expect(await readTurns()).toEqual(turns);
    }
  });

  test("a version stores which turns move, not the transcript", async () => {
    const { meeting } = await annaWithMeeting();
    await edit(meeting, "split", { speakerLabel: "s1", baseVersion: 1, turns: [2], name: "Zoe" });
    await edit(meeting, "merge", { speakerLabel: "s1", intoLabel: "s2", baseVersion: 2 });
    const stored = await api.db
      .select({ field: meetingVersionContents.field, content: meetingVersionContents.content })
      .from(meetingVersionContents)
      .where(eq(meetingVersionContents.meetingId, meeting.meetingId))
      .orderBy(meetingVersionContents.version);
    expect(stored.filter(({ field }) => field.startsWith("t") && !field.startsWith("task:"))).toEqual([
      { field: "turns:s1", content: "[0, 2]" },
      { field: "turns:s1", content: "[0]" },
    ]);
  });
});
