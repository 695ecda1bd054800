import type { ConfirmedPerson, PeoplePage, PersonDetail } from "@minutes/contract";
import { type Meeting, openTestApi, type Person, type TestApi } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSpeakerCalls, said } from "./testing/calls.js";

let api: TestApi;
let given: TestApi["given"];
beforeAll(async () => {
  api = await openTestApi();
  given = api.given;
});
afterAll(() => api.close());

const { ask, askFor, read, edit } = createSpeakerCalls(() => api);

/** A meeting in which people without an address speak. */
const heard = (owner: Person, day: number, ...names: string[]): Promise<Meeting> =>
  given.meeting(owner, {
    startTime: `2026-01-0${day}T10:00:00.000Z`,
    transcript: names.map((name, at) => said(`s${at}`, name, at, at + 1)),
  });
const listPeople = async (who: Person) =>
  (await askFor<PeoplePage>(who, "people.list")).people.map(({ name, meetings, confirmed }) => ({
    ...{ name, meetings, confirmed },
  }));
const idOf = async (who: Person, name: string) =>
  (await askFor<PeoplePage>(who, "people.list", { name })).people[0]?.id ?? "";
const namesOf = async (meeting: Meeting) => (await read(meeting)).participants.map(({ name }) => name);

test("200: speakers without an address are one unconfirmed person per exact name, of readable meetings only", async () => {
  const company = await given.company();
  const [anna, boris] = [await given.member(company), await given.member(company)];
  const first = await heard(anna, 1, "Zoe", "Speaker 2", "SPEAKER_01", "Unknown speaker");
  await heard(anna, 2, "Zoe", "zoe");
  const secret = await heard(boris, 3, "Zoe", "Xaver");
  expect(await listPeople(anna)).toEqual([
    { name: "Zoe", meetings: 2, confirmed: false },
    { name: "zoe", meetings: 1, confirmed: false },
  ]);
  const zoe = await askFor<PersonDetail>(anna, "people.get", { personId: await idOf(anna, "Zoe") });
  expect(zoe).toMatchObject({
    ...{ name: "Zoe", emails: [], meetings: 2, confirmable: 2, confirmed: false },
  });
  expect(zoe.recentMeetings.map(({ turns }) => turns)).toEqual([1, 1]);
  const hidden = (await read(secret)).participants[0]?.id ?? "";
  expect((await ask(anna, "people.get", { personId: hidden })).status).toBe(404);
  expect((await ask(anna, "people.confirm", { personId: hidden, name: "Zoe" })).status).toBe(404);
  await given.shared(secret, anna);
  expect(await askFor(anna, "people.get", { personId: hidden })).toMatchObject({
    meetings: 3,
    confirmable: 2,
  });
  expect(await listPeople(company.admin)).toEqual([]);
  expect((await read(first)).participants[0]?.id).not.toBe("");
});

test("200: people with and without an address are one sorted list, also across pages", async () => {
  const anna = await given.person();
  await given.meeting(anna, {
    transcript: [
      { ...said("s1", "Bea", 0, 1), speakerEmail: "bea.paged@example.com" },
      ...["Ada", "Cleo", "bea", "Dan"].map((name, at) => said(`u${at}`, name, at, at + 1)),
    ],
  });
  const names: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: PeoplePage = await askFor(anna, "people.list", { limit: 1, ...(cursor ? { cursor } : {}) });
    names.push(...page.people.map(({ name, confirmed }) => `${name} ${confirmed}`));
    cursor = page.nextCursor;
  }
  expect(names).toEqual(["Ada false", "Bea true", "bea false", "Cleo false", "Dan false"]);
});

test("200: a person is confirmed in all meetings of the caller at once, and each edit can be undone", async () => {
  const company = await given.company();
  const [anna, boris] = [await given.member(company), await given.member(company)];
  const own = [
    await heard(anna, 1, "Zoe"),
    await heard(anna, 2, "Guest", "Zoe"),
    await heard(anna, 3, "Zoë"),
  ];
  const others = await heard(boris, 4, "Zoe");
  await given.shared(others, anna);
  const personId = await idOf(anna, "Zoe");
  const who = { name: "Zoe Zander", email: "zoe.confirmed@example.com" };
  const confirmed = await askFor<ConfirmedPerson>(anna, "people.confirm", { personId, ...who });
  expect(confirmed).toEqual({
    personId: expect.stringMatching(/^per_/),
    meetings: own.slice(0, 2).map(({ meetingId }) => ({ meetingId, version: 2 })),
    ...{ remaining: 0, nextId: null },
  });
  expect(await listPeople(anna)).toEqual([
    { name: "Guest", meetings: 1, confirmed: false },
    { name: "Zoe", meetings: 1, confirmed: false },
    { name: "Zoë", meetings: 1, confirmed: false },
    { name: "Zoe Zander", meetings: 2, confirmed: true },
  ]);
  const again = { personId: confirmed.personId, name: "Else" };
  expect((await ask(anna, "people.confirm", again)).status).toBe(409);
  const foreign = { personId: (await read(others)).participants[0]?.id, name: "Else" };
  expect((await ask(anna, "people.confirm", foreign)).status).toBe(403);
  for (const { meetingId, version } of confirmed.meetings)
    await askFor(anna, "meetings.restoreVersion", { meetingId, version: version - 1, baseVersion: version });
  expect(await Promise.all(own.map(namesOf))).toEqual([["Zoe"], ["Guest", "Zoe"], ["Zoë"]]);
  expect(await askFor(anna, "people.get", { personId })).toMatchObject({ confirmed: false, confirmable: 2 });
});

test("200: a new name without an address is one person in all meetings; a named speaker stays as they are", async () => {
  const anna = await given.person();
  const meetings = [await heard(anna, 1, "Zoe"), await heard(anna, 2, "Zoe"), await heard(anna, 3, "Zoe")];
  const named = meetings[2] as Meeting;
  await edit(named, "assign", { speakerLabel: "s0", baseVersion: 1, name: "Zoe" });
  const { people } = await askFor<PeoplePage>(anna, "people.list");
  expect(people.map(({ meetings, confirmed }) => [meetings, confirmed]).toSorted()).toEqual([
    [1, true],
    [2, false],
  ]);
  const personId = people.find(({ confirmed }) => !confirmed)?.id ?? "";
  const confirmed = await askFor<ConfirmedPerson>(anna, "people.confirm", { personId, name: "Zoe Z." });
  const ids = await Promise.all(meetings.map(async (one) => (await read(one)).participants[0]?.id));
  expect(ids).toEqual([
    confirmed.personId,
    confirmed.personId,
    expect.not.stringMatching(confirmed.personId),
  ]);
  expect(await Promise.all(meetings.map(namesOf))).toEqual([["Zoe Z."], ["Zoe Z."], ["Zoe"]]);
});

describe("200: a naming without an address can be undone", () => {
  const undo = (who: Person, { meetingId, version }: ConfirmedPerson["meetings"][number]) =>
    askFor(who, "meetings.restoreVersion", { meetingId, version: version - 1, baseVersion: version });
  /** Three meetings of somebody known by name, whose directory and speakers a test compares. */
  const heardThrice = async () => {
    const anna = await given.person();
    const meetings = [
      await heard(anna, 1, "Zoe"),
      await heard(anna, 2, "Guest", "Zoe"),
      await heard(anna, 3, "Zoe"),
    ];
    const look = async () => ({
      people: (await askFor<PeoplePage>(anna, "people.list")).people,
      speakers: await Promise.all(meetings.map(async (one) => (await read(one)).participants)),
    });
    return { anna, meetings, look, before: await look() };
  };

  test("in all meetings, after which the directory and every speaker are as before", async () => {
    const { anna, look, before } = await heardThrice();
    const input = { personId: await idOf(anna, "Zoe"), name: "Zoe Z." };
    const confirmed = await askFor<ConfirmedPerson>(anna, "people.confirm", input);
    expect(confirmed.meetings.length).toBe(3);
    for (const edit of confirmed.meetings.toReversed()) await undo(anna, edit);
    expect(await look()).toEqual(before);
  });

  test("in any order: a speaker is unconfirmed again while others keep the name", async () => {
    const { anna, look, before } = await heardThrice();
    const input = { personId: await idOf(anna, "Zoe"), name: "Zoe Z." };
    const { personId, meetings } = await askFor<ConfirmedPerson>(anna, "people.confirm", input);
    for (const [at, edit] of meetings.entries()) {
      await undo(anna, edit);
      expect(await listPeople(anna)).toEqual([
        { name: "Guest", meetings: 1, confirmed: false },
        { name: "Zoe", meetings: at + 1, confirmed: false },
        ...(at < 2 ? [{ name: "Zoe Z.", meetings: 2 - at, confirmed: true }] : []),
      ]);
    }
    expect((await ask(anna, "people.get", { personId })).status).toBe(404);
    const [zoe] = (await look()).people.filter(({ name }) => name === "Zoe");
    const [former] = before.people.filter(({ name }) => name === "Zoe");
    expect({ ...zoe, id: "" }).toEqual({ ...former, id: "" });
  });

  test("with the ID of another meeting's speaker, who is unconfirmed again too", async () => {
    const { anna, meetings, look, before } = await heardThrice();
    const [first] = meetings as [Meeting];
    const personId = await idOf(anna, "Guest");
    await edit(first, "assign", { speakerLabel: "s0", baseVersion: 1, personId });
    expect(await listPeople(anna)).toEqual([
      { name: "Guest", meetings: 2, confirmed: true },
      { name: "Zoe", meetings: 2, confirmed: false },
    ]);
    await undo(anna, { meetingId: first.meetingId, version: 2 });
    expect(await look()).toEqual(before);
  });

  test("by deleting the only meeting that names them", async () => {
    const { anna, meetings } = await heardThrice();
    const [first] = meetings as [Meeting];
    const personId = await idOf(anna, "Guest");
    await edit(first, "assign", { speakerLabel: "s0", baseVersion: 1, personId });
    await askFor(anna, "meetings.delete", { meetingId: first.meetingId });
    expect(await listPeople(anna)).toEqual([
      { name: "Guest", meetings: 1, confirmed: false },
      { name: "Zoe", meetings: 2, confirmed: false },
    ]);
  });
});

test("200: more meetings than one call edits are confirmed by further calls", async () => {
  const anna = await given.person();
  for (let at = 0; at < 52; at++) await heard(anna, 1, "Zoe");
  let next: { personId: string; name?: string; intoId?: string } | null = {
    ...{ personId: await idOf(anna, "Zoe"), name: "Zoe" },
  };
  const edited: string[] = [];
  while (next) {
    const answer: ConfirmedPerson = await askFor(anna, "people.confirm", next);
    expect(answer.meetings.length).toBeGreaterThan(0);
    // A slow machine edits fewer at once.
    expect(answer.meetings.length).toBeLessThanOrEqual(50);
    edited.push(...answer.meetings.map(({ meetingId }) => meetingId));
    expect(answer.remaining).toBe(52 - edited.length);
    next = answer.nextId === null ? null : { personId: answer.nextId, intoId: answer.personId };
  }
  expect(new Set(edited).size).toBe(52);
  expect(await listPeople(anna)).toEqual([{ name: "Zoe", meetings: 52, confirmed: true }]);
});
