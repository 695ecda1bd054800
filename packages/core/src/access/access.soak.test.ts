import { type Company, type Meeting, openTestApi, type Person } from "@minutes/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { unshareMeeting, unshareTag } from "../meetings/sharing/index.js";
import { untagMeeting } from "../meetings/tags/index.js";
import { OPERATOR } from "./actor.js";

/** Memberships and shares, modeled without a database. @see docs/open-questions.md#q12 */
interface Model {
  readonly place: Map<Person, Company | null>;
  readonly shares: Set<string>;
  readonly tagShares: Set<string>;
  readonly tagged: Set<string>;
}

const PEOPLE = 4;
const TAGS = 2;
const link = (...parts: unknown[]) => parts.join("|");

test("after random shares, tags, joins and leaves, everyone sees what the access rules allow", async () => {
  const api = await openTestApi();
  const { given } = api;
  const companies = [await given.company(), await given.company()];
  const people: Person[] = [];
  const meetings: Meeting[] = [];
  const tagIds = new Map<string, string>();
  for (let at = 0; at < PEOPLE; at++) {
    const person = await given.person();
    people.push(person);
    for (let one = 0; one < 3; one++) meetings.push(await given.meeting(person, { tasks: [{ text: "x" }] }));
    for (let tag = 0; tag < TAGS; tag++) {
      const first = meetings.at(-1) as Meeting;
      const id = await given.tagged(first, `tag ${tag}`);
      tagIds.set(link(at, tag), id);
      await untagMeeting(api.db, OPERATOR, first.meetingId, id);
    }
  }
  const model: Model = {
    place: new Map(people.map((person) => [person, null])),
    shares: new Set(),
    tagShares: new Set(),
    tagged: new Set(),
  };
  const together = (a: Person, b: Person) =>
    a !== b && model.place.get(a) !== null && model.place.get(a) === model.place.get(b);
  const endSharesOf = (who: number) => {
    for (const set of [model.shares, model.tagShares])
      for (const entry of [...set]) {
        const [owner, reader] = entry.split("|");
        if (Number(owner) === who || Number(reader) === who) set.delete(entry);
      }
  };

  const step = fc.tuple(
    fc.constantFrom(
      "join",
      "leave",
      "share",
      "share",
      "unshare",
      "tag",
      "untag",
      "shareTag",
      "shareTag",
      "unshareTag",
    ),
    fc.nat(PEOPLE - 1),
    fc.nat(PEOPLE - 1),
    fc.nat(2),
    fc.nat(TAGS - 1),
  );
  const apply = async ([kind, who, other, number, tag]: [string, number, number, number, number]) => {
    const person = people[who] as Person;
    const reader = people[other] as Person;
    const meeting = meetings[who * 3 + number] as Meeting;
    const tagId = tagIds.get(link(who, tag)) as string;
    const share = link(who, other, meeting.meetingId);
    const tagShare = link(who, other, tagId);
    const mark = link(meeting.meetingId, tagId);
    if (kind === "join" && model.place.get(person) !== companies[number % 2]) {
      await given.joins(person, companies[number % 2] as Company);
      model.place.set(person, companies[number % 2] as Company);
      endSharesOf(who);
    } else if (kind === "leave" && model.place.get(person) !== null) {
      await given.leaves(person);
      model.place.set(person, null);
      endSharesOf(who);
    } else if (kind === "share") {
      if (together(person, reader)) model.shares.add(share);
      await given.shared(meeting, reader).catch(() => expect(together(person, reader)).toBe(false));
    } else if (kind === "unshare") {
      model.shares.delete(share);
      await unshareMeeting(api.db, OPERATOR, meeting.meetingId, reader.userId);
    } else if (kind === "tag") {
      model.tagged.add(mark);
      await given.tagged(meeting, `tag ${tag}`);
    } else if (kind === "untag") {
      model.tagged.delete(mark);
      await untagMeeting(api.db, OPERATOR, meeting.meetingId, tagId);
    } else if (kind === "shareTag") {
      if (together(person, reader)) model.tagShares.add(tagShare);
      await given.tagShared(tagId, reader).catch(() => expect(together(person, reader)).toBe(false));
    } else if (kind === "unshareTag") {
      model.tagShares.delete(tagShare);
      await unshareTag(api.db, OPERATOR, tagId, reader.userId);
    }
  };
  const visible = (reader: number) =>
    meetings
      .filter((meeting) => {
        const owner = people.indexOf(meeting.owner);
        const byTag = [0, 1].some((tag) => {
          const id = tagIds.get(link(owner, tag));
          return (
            model.tagged.has(link(meeting.meetingId, id)) && model.tagShares.has(link(owner, reader, id))
          );
        });
        return owner === reader || byTag || model.shares.has(link(owner, reader, meeting.meetingId));
      })
      .map((meeting) => meeting.meetingId)
      .sort();

  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), async (steps) => {
      for (const one of steps) await apply(one);
      for (const [at, person] of people.entries()) {
        const listed = (await api.data(person.key, "me/meetings.list")).meetings.map((m) => m.id).sort();
        expect(listed).toEqual(visible(at));
        const tasks = (await api.data(person.key, "me/tasks.list")).tasks
          .map((task) => task.meetingId)
          .sort();
        expect(tasks).toEqual(listed);
      }
      for (const company of companies) {
        const { meetings: listed } = await api.data(company.key, "workspace/meetings.list");
        const expected = meetings.filter((meeting) => model.place.get(meeting.owner) === company);
        expect(listed.map((m) => m.id).sort()).toEqual(expected.map((m) => m.meetingId).sort());
      }
    }),
    // The state grows from one sequence to the next, so a shrunk sequence would not reproduce the failure.
    { numRuns: 300, endOnFailure: true },
  );
  await api.close();
});
