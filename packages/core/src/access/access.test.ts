import { type Meeting, openTestApi, type Person, type TestApi } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deleteTag, OPERATOR, unshareMeeting, unshareTag, untagMeeting } from "../index.js";

let api: TestApi;
let given: TestApi["given"];
beforeAll(async () => {
  api = await openTestApi();
  given = api.given;
});
afterAll(() => api.close());

/** Checks every view of a meeting (list, details, tasks, search), which must agree. */
async function sees(who: Person, what: Meeting): Promise<boolean> {
  const listed = (await api.data(who.key, "me/meetings.list")).meetings.some((m) => m.id === what.meetingId);
  const tasks = await api.data(who.key, "me/tasks.list", { meetingId: what.meetingId });
  const found = await api.data(who.key, "me/meetings.search", { query: "wombat" });
  const detail = await api.call(who.key, "me/meetings.get", { meetingId: what.meetingId });
  const views = [
    listed,
    detail.status === 200,
    tasks.tasks.length > 0,
    found.results.some((chunk) => chunk.meetingId === what.meetingId),
  ];
  expect(new Set(views).size, `list, get, tasks and search disagree: ${views}`).toBe(1);
  if (!listed)
    expect([detail.status, detail.body]).toEqual([
      403,
      { error: "Access denied. You do not have access to this meeting." },
    ]);
  return listed;
}

async function companySees(key: string, what: Meeting): Promise<boolean> {
  const { meetings } = await api.data(key, "workspace/meetings.list");
  const listed = meetings.some((m) => m.id === what.meetingId);
  const { tasks } = await api.data(key, "workspace/tasks.list", { meetingId: what.meetingId });
  const detail = await api.call(key, "workspace/meetings.get", { meetingId: what.meetingId });
  const views = [listed, detail.status === 200, tasks.length > 0];
  expect(new Set(views).size, `list, get and tasks disagree: ${views}`).toBe(1);
  return listed;
}

/** A meeting with content for every view. */
const facts = {
  tasks: [{ text: "Feed it" }],
  transcript: [{ speakerId: "s1", speakerName: "Zoo", text: "The wombat sleeps." }],
};

async function trio() {
  const company = await given.company();
  const [anna, ben, cleo] = [
    await given.member(company),
    await given.member(company),
    await given.member(company),
  ] as const;
  return { company, anna, ben, cleo };
}

describe("a personal key sees", () => {
  test("200: own meetings; 403: another member's meeting", async () => {
    const { anna, ben, company } = await trio();
    const meeting = await given.meeting(anna, facts);
    expect(await sees(anna, meeting)).toBe(true);
    expect(await sees(ben, meeting)).toBe(false);
    expect(await sees(company.admin, meeting)).toBe(false);
  });

  test("200: a meeting shared directly, until it is unshared", async () => {
    const { anna, ben, cleo } = await trio();
    const meeting = await given.meetingSharedDirectly(anna, ben, facts);
    expect(await sees(ben, meeting)).toBe(true);
    expect(await sees(cleo, meeting)).toBe(false);
    await unshareMeeting(api.db, OPERATOR, meeting.meetingId, ben.userId);
    expect(await sees(ben, meeting)).toBe(false);
    expect(await sees(anna, meeting)).toBe(true);
  });

  test("200: a meeting with a shared tag, until the tag is unshared", async () => {
    const { anna, ben, cleo } = await trio();
    const meeting = await given.meetingSharedByTag(anna, ben, facts);
    expect(await sees(ben, meeting)).toBe(true);
    expect(await sees(cleo, meeting)).toBe(false);
    await unshareTag(api.db, OPERATOR, meeting.tagId, ben.userId);
    expect(await sees(ben, meeting)).toBe(false);
  });

  test("200: a meeting with a shared tag, until the tag is removed from the meeting", async () => {
    const { anna, ben } = await trio();
    const meeting = await given.meetingSharedByTag(anna, ben, facts);
    await untagMeeting(api.db, OPERATOR, meeting.meetingId, meeting.tagId);
    expect(await sees(ben, meeting)).toBe(false);
  });

  test("200: a meeting with a shared tag, until the tag is deleted", async () => {
    const { anna, ben } = await trio();
    const meeting = await given.meetingSharedByTag(anna, ben, facts);
    await deleteTag(api.db, OPERATOR, meeting.tagId);
    expect(await sees(ben, meeting)).toBe(false);
    expect(await sees(anna, meeting)).toBe(true);
  });

  test("200: a meeting tagged after its tag was shared, immediately", async () => {
    const { anna, ben } = await trio();
    const { tag } = await given.meetingSharedByTag(anna, ben);
    const later = await given.meeting(anna, facts);
    expect(await sees(ben, later)).toBe(false);
    await given.tagged(later, tag);
    expect(await sees(ben, later)).toBe(true);
  });

  test("200: a meeting that is owned, shared and tagged is listed once", async () => {
    const { anna, ben } = await trio();
    const meeting = await given.meetingSharedByTag(anna, ben, facts);
    await given.tagShared(await given.tagged(meeting, "second"), ben);
    await given.shared(meeting, ben);
    const { meetings } = await api.data(ben.key, "me/meetings.list");
    expect(meetings.map((m) => m.id)).toEqual([meeting.meetingId]);
    expect((await api.data(ben.key, "me/tasks.list")).tasks).toHaveLength(1);
    expect((await api.data(ben.key, "me/meetings.search", { query: "wombat" })).results).toHaveLength(1);
    await unshareMeeting(api.db, OPERATOR, meeting.meetingId, ben.userId);
    expect(await sees(ben, meeting)).toBe(true);
  });

  test("403: another member's tag of the same name gives no access", async () => {
    const { anna, ben, cleo } = await trio();
    await given.meetingSharedByTag(anna, ben, { tag: "plans" });
    const cleos = await given.meeting(cleo, facts);
    await given.tagged(cleos, "plans");
    expect(await sees(ben, cleos)).toBe(false);
  });
});

describe("a workspace key sees", () => {
  test("200: meetings of every member; 403: meetings of non-members", async () => {
    const { company, anna, ben } = await trio();
    const other = await given.company();
    for (const owner of [anna, ben, company.admin]) {
      const meeting = await given.meeting(owner, facts);
      expect(await companySees(company.key, meeting)).toBe(true);
      expect(await companySees(other.key, meeting)).toBe(false);
    }
  });

  test("403: a workspace key can't read a meeting whose owner left the workspace", async () => {
    const { company, anna } = await trio();
    const meeting = await given.meeting(anna, facts);
    expect(await companySees(company.key, meeting)).toBe(true);
    await given.leaves(anna);
    expect(await companySees(company.key, meeting)).toBe(false);
    const answer = await api.call(company.key, "workspace/meetings.get", { meetingId: meeting.meetingId });
    expect([answer.status, answer.body]).toEqual([
      403,
      { error: "Access denied. You do not have access to this meeting." },
    ]);
    expect(await sees(anna, meeting)).toBe(true);
  });

  test("200: meetings recorded in another workspace, once their owner has joined, and again after rejoining", async () => {
    const company = await given.company();
    const anna = await given.person();
    const meeting = await given.meeting(anna, facts);
    expect(await companySees(company.key, meeting)).toBe(false);
    await given.joins(anna, company);
    expect(await companySees(company.key, meeting)).toBe(true);
    const other = await given.company();
    await given.joins(anna, other);
    expect(await companySees(company.key, meeting)).toBe(false);
    expect(await companySees(other.key, meeting)).toBe(true);
    await given.joins(anna, company);
    expect(await companySees(company.key, meeting)).toBe(true);
  });
});

describe("shares end permanently when either leaves", () => {
  test.each([
    ["the owner", "anna"],
    ["the reader", "ben"],
  ] as const)("403: after %s left and came back", async (_name, leaver) => {
    const { company, ...people } = await trio();
    const { anna, ben } = people;
    const direct = await given.meetingSharedDirectly(anna, ben, facts);
    const byTag = await given.meetingSharedByTag(anna, ben, facts);
    const back = await given.meetingSharedDirectly(ben, anna, facts);
    await given.leaves(people[leaver]);
    for (const meeting of [direct, byTag]) expect(await sees(ben, meeting)).toBe(false);
    expect(await sees(anna, back)).toBe(false);
    expect((await api.data(ben.key, "me/tags.list")).tags).toEqual([]);
    await given.joins(people[leaver], company);
    for (const meeting of [direct, byTag]) expect(await sees(ben, meeting)).toBe(false);
    for (const meeting of [direct, byTag]) expect(await sees(anna, meeting)).toBe(true);
  });

  test("200: shares between members who stay are unaffected", async () => {
    const { anna, ben, cleo } = await trio();
    const meeting = await given.meetingSharedDirectly(anna, ben, facts);
    await given.shared(meeting, cleo);
    await given.leaves(cleo);
    expect(await sees(ben, meeting)).toBe(true);
  });

  test("409: a share with a non-member or with the owner is refused", async () => {
    const { anna } = await trio();
    const stranger = await given.person();
    const meeting = await given.meeting(anna);
    const tagId = await given.tagged(meeting, "mine");
    for (const [who, message] of [
      [stranger, "Both must be members of the same workspace."],
      [anna, "A share can't be with the owner."],
    ] as const) {
      await expect(given.shared(meeting, who)).rejects.toMatchObject({ code: "CONFLICT", message });
      await expect(given.tagShared(tagId, who)).rejects.toMatchObject({ code: "CONFLICT", message });
    }
  });
});
