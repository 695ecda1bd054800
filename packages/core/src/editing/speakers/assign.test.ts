import type { EditedMeeting } from "@minutes/contract";
import { schema } from "@minutes/db";
import { openTestApi, type TestApi, waitForFeed } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSpeakerCalls, FACTS, said } from "./testing/calls.js";

let api: TestApi;
let given: TestApi["given"];
beforeAll(async () => {
  api = await openTestApi();
  given = api.given;
});
afterAll(() => api.close());

const { ask, edit, read, find, findByPerson, askFor, assigneesOf, annaWithMeeting } = createSpeakerCalls(
  () => api,
);

describe("200: a speaker is assigned to a new person", () => {
  test("in transcript, participants, tasks, search, speaker filter and feed, but not in the summary", async () => {
    const { anna, meeting } = await annaWithMeeting();
    const { meetingId } = meeting;
    const own = (await read(meeting)).participants[0]?.id;
    await waitForFeed(api.db);
    const first = await api.data(anna.key, "sync/me/changes.list");
    const named = await edit(meeting, "assign", { speakerLabel: "s1", baseVersion: 1, name: "Gustav Klimt" });
    expect(named).toEqual({
      ...{ meetingId, version: 2, speakerLabel: "s1", formerName: "Speaker 1", formerNameInSummary: 2 },
    });
    const after = await read(meeting);
    expect(after.transcript).toMatch(/^\*\*Gustav Klimt\*\*: The wombat sleeps\.\n\n\*\*Speaker 2\*\*/);
    expect(after.participants[0]).toEqual({ id: own, name: "Gustav Klimt", email: null });
    expect(await assigneesOf(anna)).toEqual(
      expect.arrayContaining([{ id: own, name: "Gustav Klimt", email: null }]),
    );
    expect(after.summary.markdown).toContain("Speaker 1 asked");
    expect(await find(anna, "klimt")).toEqual([meetingId]);
    expect(await findByPerson(anna, "Gustav Klimt")).toEqual([meetingId]);
    expect(await findByPerson(anna, "Speaker 1")).toEqual([]);
    await waitForFeed(api.db);
    const { changes } = await api.data(anna.key, "sync/me/changes.list", { cursor: first.nextCursor });
    expect(changes).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: "meeting", op: "upsert", id: meetingId }),
        expect.objectContaining({
          ...{ type: "task", op: "upsert" },
          data: expect.objectContaining({ assignee: { id: own, name: "Gustav Klimt", email: null } }),
        }),
      ]),
    );
  });

  test("by an address alone takes the name of a member, or of somebody the caller can see; 400 for others", async () => {
    const { company, anna, meeting } = await annaWithMeeting();
    const speaks = (speakerName: string, speakerEmail: string) => ({
      transcript: [{ ...said("x", speakerName, 0, 1), speakerEmail }],
    });
    const ben = await given.member(company, { name: "Ben" });
    await given.meeting(anna, speaks("Zoe", "zoe.seen@example.com"));
    await given.meeting(ben, speaks("Secret guest", "guest.unseen@example.com"));
    const assign = (baseVersion: number, email: string) =>
      ask(anna, "speakers.assign", {
        ...{ meetingId: meeting.meetingId, speakerLabel: "s1", baseVersion, email },
      });
    for (const email of ["guest.unseen@example.com", "nobody.known@example.com"])
      expect(await assign(1, email)).toEqual({
        status: 400,
        body: { error: "Nobody you can see has this e-mail address: add a name." },
      });
    expect(await assign(1, "Zoe.Seen@example.com")).toMatchObject({ status: 200 });
    expect((await read(meeting)).participants[0]).toMatchObject({
      name: "Zoe",
      email: "zoe.seen@example.com",
    });
    expect(await assign(2, ben.email)).toMatchObject({ status: 200 });
    expect((await read(meeting)).participants[0]).toMatchObject({ name: "Ben", email: ben.email });
  });

  test("with an address is the same person in every meeting, and undone by restoring the version", async () => {
    const { anna, meeting } = await annaWithMeeting();
    const { meetingId } = meeting;
    const before = await read(meeting);
    const other = await given.meeting(anna, {
      transcript: [{ ...said("x", "Zoe", 0, 1), speakerEmail: "zoe.named@example.com" }],
    });
    const who = { name: "Zoë", email: "Zoe.Named@example.com" };
    await edit(meeting, "assign", { speakerLabel: "s1", baseVersion: 1, ...who });
    const zoe = (await read(other)).participants[0]?.id;
    expect((await read(meeting)).participants[0]).toEqual({
      ...{ id: zoe, name: "Zoë", email: "zoe.named@example.com" },
    });
    await askFor(anna, "meetings.restoreVersion", { meetingId, version: 1, baseVersion: 2 });
    expect(await read(meeting)).toEqual(before);
    await askFor(anna, "meetings.restoreVersion", { meetingId, version: 2, baseVersion: 3 });
    expect((await read(meeting)).participants[0]).toMatchObject({ id: zoe, name: "Zoë" });
  });

  test("with the tasks that have only their name, even if sent later by the recorder; restoring a version undoes it", async () => {
    const named = (name: string) => ({ text: `For ${name}`, assignee: { name } });
    const facts = {
      externalId: "named-in-tasks",
      tasks: [named("Gustav"), named("Gustav K."), named("Else")],
    };
    const { company, anna, meeting } = await annaWithMeeting(facts);
    const gustav = await given.member(company, { name: "Gustav" });
    await given.shared(meeting, gustav);
    const listMine = async () => {
      const { tasks } = await askFor<{ tasks: { text: string }[] }>(gustav, "tasks.list", { mine: true });
      return tasks.map(({ text }) => text).toSorted();
    };
    const { email } = gustav;
    const { version } = await edit(meeting, "assign", { speakerLabel: "s1", baseVersion: 1, email });
    expect(await listMine()).toEqual(["For Gustav"]);
    await askFor(anna, "meetings.restoreVersion", {
      ...{ meetingId: meeting.meetingId, version: 1, baseVersion: version },
    });
    expect(await listMine()).toEqual([]);
    const split = { speakerLabel: "s1", baseVersion: version + 1, turns: [2], email };
    await edit(meeting, "split", split);
    expect(await listMine()).toEqual(["For Gustav"]);
    await askFor(anna, "meetings.restoreVersion", {
      ...{ meetingId: meeting.meetingId, version: 2, baseVersion: version + 2 },
    });
    const sent = { ...FACTS, ...facts, ownerEmail: anna.email, replace: true };
    const answer = await api.call(await given.ingestKey(company), "ingest/meetings.import", {
      ...sent,
      tasks: [named("Gustav"), { ...named("Gustav"), text: "New" }, named("Else")],
    });
    expect(answer.status).toBe(200);
    expect(await listMine()).toEqual(["For Gustav", "New"]);
  });

  test("keeps the name when the recorder replaces the meeting, by label", async () => {
    const { company, anna, meeting } = await annaWithMeeting({ externalId: "named-and-replaced" });
    await edit(meeting, "assign", { speakerLabel: "s1", baseVersion: 1, name: "Gustav" });
    const [gustav, second] = (await read(meeting)).participants;
    const answer = await api.call(await given.ingestKey(company), "ingest/meetings.import", {
      ...{ ...FACTS, externalId: "named-and-replaced", ownerEmail: anna.email, replace: true },
      transcript: [said("s1", "Speaker A", 0, 1), said("s2", "Speaker B", 1, 2)],
    });
    expect(answer.status).toBe(200);
    expect((await read(meeting)).participants).toEqual([gustav, { ...second, name: "Speaker B" }]);
  });
});

describe("200: a speaker is assigned to an existing person", () => {
  test("of another meeting, who becomes one person; a name with it counts in this meeting only", async () => {
    const { anna, meeting } = await annaWithMeeting();
    const other = await given.meeting(anna, { transcript: [said("x", "Guest", 0, 1)] });
    const guest = (await read(other)).participants[0]?.id ?? "";
    await edit(meeting, "assign", { speakerLabel: "s1", baseVersion: 1, personId: guest });
    await edit(meeting, "assign", { speakerLabel: "s2", baseVersion: 2, personId: guest, name: "G." });
    expect((await read(meeting)).participants).toMatchObject([
      { id: guest, name: "Guest" },
      { id: guest, name: "G." },
      { name: "Speaker 3" },
    ]);
    expect((await read(other)).participants).toMatchObject([{ id: guest, name: "Guest" }]);
  });

  test("404: a person the caller can't see, whether in the same workspace or another", async () => {
    const { company, anna, meeting } = await annaWithMeeting();
    const boris = await given.member(company);
    const hidden = await given.meeting(boris, { transcript: [said("x", "Hidden", 0, 1)] });
    const stranger = await given.meeting(await given.person(), { transcript: [said("x", "Else", 0, 1)] });
    for (const one of [hidden, stranger]) {
      const personId = (await read(one)).participants[0]?.id;
      const input = { meetingId: meeting.meetingId, speakerLabel: "s1", baseVersion: 1, personId };
      expect(await ask(anna, "speakers.assign", input)).toEqual({
        status: 404,
        body: { error: "No such person." },
      });
    }
    await given.shared(hidden, anna);
    const personId = (await read(hidden)).participants[0]?.id;
    await edit(meeting, "assign", { speakerLabel: "s1", baseVersion: 1, personId });
    expect((await read(meeting)).participants[0]).toMatchObject({ id: personId, name: "Hidden" });
  });
});

test("200: an assignee who didn't speak is identified at once, and follows a restored version", async () => {
  const { anna, meeting } = await annaWithMeeting();
  const { meetingId, taskIds } = meeting;
  const assignee = { name: "Zoe", email: "zoe.tasks@example.com" };
  const input = { meetingId, text: "New", assignee };
  const { version } = await askFor<EditedMeeting>(anna, "tasks.create", { ...input, baseVersion: 1 });
  await askFor(anna, "meetings.updateTask", {
    meetingId,
    taskId: taskIds[1],
    baseVersion: version,
    assignee,
  });
  const ids = (await assigneesOf(anna)).filter((one) => one?.name === "Zoe").map((one) => one?.id);
  expect(ids).toEqual([expect.stringMatching(/^per_/), ids[0]]);
  await askFor(anna, "meetings.restoreVersion", { meetingId, version: 1, baseVersion: 3 });
  await api.db.execute(sql`delete from people where id = ${ids[0]}`);
  await askFor(anna, "meetings.restoreVersion", { meetingId, version: 3, baseVersion: 4 });
  const again = (await assigneesOf(anna)).filter((one) => one?.name === "Zoe").map((one) => one?.id);
  const rows = await api.db
    .select()
    .from(schema.people)
    .where(eq(schema.people.id, again[0] ?? ""));
  expect([again.length, again[0] === again[1], rows.length]).toEqual([2, true, 1]);
});
