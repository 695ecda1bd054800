import { type TestServer, useColleagues } from "@minutes/server/testing";
import { type Company, createSettingsCalls, type Person } from "@minutes/testing";
import { describe, expect, test } from "vitest";

let server: TestServer;
let company: Company;
let anna: Person;
let boris: Person;
useColleagues((colleagues) => {
  ({ server, company, anna, boris } = colleagues);
});

const ask = createSettingsCalls(() => server);
const done = [200, { success: true }];

describe("shares and tags", () => {
  test("200: sharing and unsharing take effect immediately in lists, gets, search and tasks", async () => {
    const seen = async (meetingId: string) => {
      const get = await server.call(boris.key, "me/meetings.get", { meetingId });
      const list = await server.data(boris.key, "me/meetings.list");
      const tasks = await server.data(boris.key, "me/tasks.list", { meetingId });
      const found = await server.data(boris.key, "me/meetings.search", { query: "zymurgy" });
      return [
        get.status === 200,
        list.meetings.some(({ id }) => id === meetingId),
        tasks.tasks.length > 0,
        found.results.some((chunk) => chunk.meetingId === meetingId),
      ];
    };
    const [all, none] = [Array(4).fill(true), Array(4).fill(false)];
    const { meetingId } = await server.given.meeting(anna, {
      transcript: [{ speakerId: "s", speakerName: "Anna", text: "About zymurgy." }],
      tasks: [{ text: "Brew" }],
    });
    const share = { meetingId, email: boris.email };
    expect(await seen(meetingId)).toEqual(none);
    expect(await ask(anna, "meetings.share", share)).toEqual(done);
    expect(await seen(meetingId)).toEqual(all);
    const [, shares] = await ask(anna, "shares.list", { meetingId });
    expect(shares).toMatchObject({ shares: [{ email: boris.email }] });
    expect(await ask(anna, "meetings.unshare", share)).toEqual(done);
    expect(await seen(meetingId)).toEqual(none);

    expect(await ask(anna, "meetings.tag", { meetingId, name: "Beer" })).toEqual(done);
    const [, list] = await ask(anna, "tags.list");
    const [tag] = (list as { tags: { id: string; name: string }[] }).tags.filter(
      ({ name }) => name === "Beer",
    );
    const tagId = tag?.id ?? "";
    expect(await ask(anna, "tags.share", { tagId, email: boris.email })).toEqual(done);
    expect(await seen(meetingId)).toEqual(all);
    expect(await ask(anna, "meetings.untag", { meetingId, tagId })).toEqual(done);
    expect(await seen(meetingId)).toEqual(none);
    await ask(anna, "meetings.tag", { meetingId, name: "Beer" });
    expect(await seen(meetingId)).toEqual(all);
    expect(await ask(anna, "members.remove", { userId: anna.userId })).toEqual(done);
    expect(await seen(meetingId)).toEqual(none);
    await server.given.joins(anna, company);
  });
});

test("200: a tag is created once per name, renamed and read with its shares", async () => {
  const [status, created] = await ask(anna, "tags.create", { name: "Roadmap" });
  expect([status, created]).toEqual([
    200,
    { id: expect.any(String), color: expect.any(String), name: "Roadmap" },
  ]);
  const { id: tagId, color } = created as { id: string; color: string };
  expect((await ask(anna, "tags.create", { name: "Roadmap" }))[0]).toBe(409);
  expect(await ask(anna, "tags.update", { tagId, name: "Plans" })).toEqual(done);
  await ask(anna, "tags.share", { tagId, email: boris.email });
  const { email, name, userId } = boris;
  const sharedWith = [{ userId, email, name }];
  expect(await ask(anna, "tags.get", { tagId })).toEqual([
    200,
    { id: tagId, name: "Plans", color, meetings: 0, sharedWith },
  ]);
});

test("404: another user's tag can't be read, renamed, shared, unshared or deleted, like an unknown one", async () => {
  const { meetingId } = await server.given.meeting(anna);
  await ask(anna, "meetings.tag", { meetingId, name: "Mine" });
  const [, { tags }] = (await ask(anna, "tags.list")) as [number, { tags: { id: string; name: string }[] }];
  const tagId = tags.find(({ name }) => name === "Mine")?.id;
  for (const id of [tagId, "tag_none"]) {
    for (const name of ["tags.share", "tags.unshare"]) {
      const answer = await ask(boris, name, { tagId: id, email: anna.email });
      expect(answer).toEqual([404, "No such tag."]);
    }
    for (const name of ["tags.get", "tags.delete"])
      expect(await ask(boris, name, { tagId: id })).toEqual([404, "No such tag."]);
    expect(await ask(boris, "tags.update", { tagId: id, name: "Yours" })).toEqual([404, "No such tag."]);
  }
});
