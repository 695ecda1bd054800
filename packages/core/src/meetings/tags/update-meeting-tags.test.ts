import { MESSAGES } from "@minutes/contract";
import { schema } from "@minutes/db";
import { openTestApi, type Person, type TestApi } from "@minutes/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

let api: TestApi;
let anna: Person;
let ben: Person;
let workspaceId: string;
beforeAll(async () => {
  api = await openTestApi();
  const company = await api.given.company();
  workspaceId = company.workspaceId;
  [anna, ben] = [await api.given.member(company), await api.given.member(company)];
});
afterAll(() => api.close());

const update = (who: Person, meetingId: string, change: { add?: string[]; remove?: string[] }) =>
  api.ask(who, "meetings.updateTags", { meetingId, ...change });

async function listTags(meetingId: string): Promise<string[]> {
  const { tags } = await api.askFor<{ tags: { name: string }[] }>(anna, "meetings.get", { meetingId });
  return tags.map(({ name }) => name).toSorted();
}

test("200: tags are added and removed by name, repeated without effect", async () => {
  const { meetingId } = await api.given.meeting(anna, { tags: [{ name: "old" }] });
  for (let time = 0; time < 2; time++) {
    await api.askFor(anna, "meetings.updateTags", { meetingId, add: ["plan", "budget", "plan"] });
    expect(await listTags(meetingId)).toEqual(["budget", "old", "plan"]);
  }
  await api.askFor(anna, "meetings.updateTags", { meetingId, add: ["new"], remove: ["old", "plan"] });
  await api.askFor(anna, "meetings.updateTags", { meetingId, add: ["new"], remove: [] });
  expect(await listTags(meetingId)).toEqual(["budget", "new"]);
});

test("409: a shared tag is neither added nor removed, and nothing else of the call is done", async () => {
  const { meetingId } = await api.given.meeting(anna, {});
  const shared = await api.given.meetingSharedByTag(anna, ben, { tag: "board" });
  const refused = { status: 409, body: { error: expect.stringMatching(/^1 other member reads/) } };
  expect(await update(anna, meetingId, { add: ["fresh", "board"] })).toMatchObject(refused);
  expect(await update(anna, shared.meetingId, { add: ["fresh"], remove: ["board"] })).toMatchObject(refused);
  expect([await listTags(meetingId), await listTags(shared.meetingId)]).toEqual([[], ["board"]]);
});

test("409: a tag that a retention rule names is neither added nor removed", async () => {
  const { meetingId } = await api.given.meeting(anna, { tags: [{ name: "interviews" }] });
  const rule = { id: "rule_1", workspaceId, tag: "interviews", days: 30, nextRunAt: "2999-01-01T00:00:00Z" };
  await api.db.insert(schema.retentionRules).values(rule);
  for (const change of [{ add: ["interviews"] }, { remove: ["interviews"] }])
    expect(await update(anna, meetingId, change)).toMatchObject({
      ...{ status: 409, body: { error: MESSAGES.tagOfRule } },
    });
});

test.each(["personal", "workspace"] as const)(
  "409: a tag to which a %s webhook is limited, which would send the meeting",
  async (kind) => {
    const { meetingId } = await api.given.meeting(anna, {});
    await api.db.insert(schema.webhooks).values({
      ...{
        id: `wh_${kind}`,
        kind,
        name: kind,
        url: "https://example.com/",
        method: "signature",
        tags: [kind],
      },
      ...{ secret: Buffer.from("encrypted"), secretKeyId: "key" },
      ...(kind === "personal" ? { userId: anna.userId } : { workspaceId }),
    });
    expect(await update(anna, meetingId, { add: [kind] })).toMatchObject({
      ...{ status: 409, body: { error: MESSAGES.tagOfWebhook } },
    });
    expect(await listTags(meetingId)).toEqual([]);
  },
);

test("refused: others' meetings, unknown tags to remove, and nothing to change", async () => {
  const meeting = await api.given.meeting(anna, {});
  const { meetingId } = meeting;
  await api.given.shared(meeting, ben);
  expect(await update(ben, meetingId, { add: ["mine"] })).toMatchObject({ status: 403 });
  expect(await update(anna, "mtg_none", { add: ["mine"] })).toMatchObject({ status: 404 });
  expect(await update(anna, meetingId, { add: ["a"], remove: ["none"] })).toMatchObject({ status: 404 });
  for (const nothing of [{}, { add: [], remove: [] }])
    expect(await update(anna, meetingId, nothing)).toMatchObject({
      ...{ status: 400, body: { error: MESSAGES.nothingToEdit } },
    });
  expect(await listTags(meetingId)).toEqual([]);
});

test("200: the same tags are added to many meetings at once, known and new ones", async () => {
  const made = await Promise.all(Array.from({ length: 6 }, () => api.given.meeting(anna, {})));
  const add = ["at once", "budget", "together"];
  const answers = await Promise.all(made.map(({ meetingId }) => update(anna, meetingId, { add })));
  expect(answers.map(({ status }) => status)).toEqual(made.map(() => 200));
  const again = made.map(({ meetingId }) => update(anna, meetingId, { add: ["plan"], remove: ["budget"] }));
  expect((await Promise.all(again)).map(({ status }) => status)).toEqual(made.map(() => 200));
  for (const { meetingId } of made)
    expect(await listTags(meetingId)).toEqual(["at once", "plan", "together"]);
});
