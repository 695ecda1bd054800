import { asUser, openTestApi, type TestApi } from "@minutes/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OPERATOR } from "../../access/actor.js";
import { shareTag, unshareTag } from "../sharing/index.js";
import { deleteTag, tagMeeting } from "./index.js";

let api: TestApi;
let given: TestApi["given"];
beforeAll(async () => {
  api = await openTestApi();
  given = api.given;
});
afterAll(() => api.close());

const tagsOf = async (who: { key: string }) =>
  (await api.data(who.key, "me/tags.list")).tags.map((tag) => [tag.name, tag.shared]);

test("200: own tags and those shared with the caller, by name, distinguished by `shared`", async () => {
  const company = await given.company();
  const [anna, ben] = [await given.member(company), await given.member(company)];
  await given.meeting(anna, { tags: [{ name: "zoo" }, { name: "Apples" }] });
  await given.meetingSharedByTag(ben, anna, { tag: "middle" });
  await given.meeting(ben, { tags: [{ name: "kept private" }] });
  expect(await tagsOf(anna)).toEqual([
    ["Apples", false],
    ["middle", true],
    ["zoo", false],
  ]);
  expect(await tagsOf(ben)).toEqual([
    ["kept private", false],
    ["middle", false],
  ]);
});

test("200: a shared tag with the name of an own one is a different tag", async () => {
  const company = await given.company();
  const [anna, ben] = [await given.member(company), await given.member(company)];
  await given.meeting(anna, { tags: [{ name: "plan" }] });
  await given.meetingSharedByTag(ben, anna, { tag: "plan" });
  const { tags } = await api.data(anna.key, "me/tags.list");
  expect(tags.map((tag) => tag.shared).sort()).toEqual([false, true]);
  expect(new Set(tags.map((tag) => tag.id)).size).toBe(2);
});

test("200: a tag disappears immediately when its share ends or it is deleted", async () => {
  const company = await given.company();
  const [anna, ben] = [await given.member(company), await given.member(company)];
  const { tagId } = await given.meetingSharedByTag(anna, ben, { tag: "brief" });
  expect(await tagsOf(ben)).toEqual([["brief", true]]);
  await unshareTag(api.db, OPERATOR, tagId, ben.userId);
  expect(await tagsOf(ben)).toEqual([]);
  await deleteTag(api.db, OPERATOR, tagId);
  expect(await tagsOf(anna)).toEqual([]);
});

test("200: no tags; 400: any parameter", async () => {
  const anna = await given.person();
  expect(await tagsOf(anna)).toEqual([]);
  for (const input of [{ limit: 5 }, { name: "x" }, { cursor: "x" }]) {
    const answer = await api.call(anna.key, "me/tags.list", input);
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: `Unknown field: "${Object.keys(input)[0]}".` },
    ]);
  }
});

test("403: only a meeting's owner tags it; 404: another user's tag looks unknown", async () => {
  const company = await given.company();
  const [anna, ben] = [await given.member(company), await given.member(company)];
  const meeting = await given.meetingSharedByTag(anna, ben);
  const asBen = asUser(ben.userId);
  await expect(tagMeeting(api.db, asBen, meeting.meetingId, "mine now")).rejects.toMatchObject({
    code: "FORBIDDEN",
  });
  for (const change of [shareTag, unshareTag])
    await expect(change(api.db, asBen, meeting.tagId, company.admin.userId)).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  await expect(deleteTag(api.db, asBen, meeting.tagId)).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("a tag's name is one tag per owner, however often and concurrently it is used", async () => {
  const anna = await given.person();
  const meetings = await Promise.all(
    [1, 2, 3, 4].map(() => given.meeting(anna, { tags: [{ name: "same" }] })),
  );
  expect(await tagsOf(anna)).toEqual([["same", false]]);
  expect((await api.data(anna.key, "me/meetings.list", { tag: "same" })).meetings).toHaveLength(
    meetings.length,
  );
});
