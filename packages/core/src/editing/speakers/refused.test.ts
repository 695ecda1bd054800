import type { MeetingSpeakers } from "@minutes/contract";
import { schema } from "@minutes/db";
import { openTestApi, readPayload, type TestApi } from "@minutes/testing";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSpeakerCalls } from "./testing/calls.js";

let api: TestApi;
let given: TestApi["given"];
beforeAll(async () => {
  api = await openTestApi();
  given = api.given;
});
afterAll(() => api.close());

const { ask, askFor, edit, read, annaWithMeeting } = createSpeakerCalls(() => api);

describe("refused", () => {
  test.each([
    ["assign", { speakerLabel: "s9", name: "X" }, 404, "The meeting has no speaker with this label."],
    [
      "assign",
      { speakerLabel: "s1" },
      400,
      "Say who it is: a personId, a name, an email, or a name and an email.",
    ],
    [
      "assign",
      { speakerLabel: "s1", email: "x@a.example" },
      400,
      "Nobody you can see has this e-mail address: add a name.",
    ],
    [
      "assign",
      { speakerLabel: "s1", personId: "per_x", email: "x@example.com" },
      400,
      "Give either a personId or an email.",
    ],
    ["merge", { speakerLabel: "s1", intoLabel: "s1" }, 400, "A speaker can't be merged with themselves."],
    ["merge", { speakerLabel: "s1", intoLabel: "s9" }, 404, "The meeting has no speaker with this label."],
    ["split", { speakerLabel: "s1", turns: [1], name: "X" }, 400, "All turns must be turns of this speaker."],
    [
      "split",
      { speakerLabel: "s1", turns: [0, 99], name: "X" },
      400,
      "All turns must be turns of this speaker.",
    ],
    [
      ...(["split", { speakerLabel: "s1", turns: [0, 2], name: "X" }, 400] as const),
      "At least one turn must stay with the speaker. Assign the speaker to somebody else instead.",
    ],
  ] as const)("speakers.%s with %j: %i", async (procedure, input, status, error) => {
    const { anna, meeting } = await annaWithMeeting();
    const before = await read(meeting);
    expect(
      await ask(anna, `speakers.${procedure}`, { meetingId: meeting.meetingId, baseVersion: 1, ...input }),
    ).toEqual({ status, body: { error } });
    expect(await read(meeting)).toEqual(before);
  });

  test("409: a stale base", async () => {
    const { anna, meeting } = await annaWithMeeting();
    await edit(meeting, "assign", { speakerLabel: "s1", baseVersion: 1, name: "Gustav" });
    const { meetingId } = meeting;
    const answer = await ask(anna, "speakers.assign", {
      ...{ meetingId, speakerLabel: "s2", baseVersion: 1, name: "Late" },
    });
    expect(answer).toMatchObject({ status: 409, body: { error: expect.stringContaining("participants") } });
  });

  test("403: readers of a share can list speakers, without suggestions, and change none; read-only keys neither", async () => {
    const { company, anna, meeting } = await annaWithMeeting();
    const { meetingId } = meeting;
    const boris = await given.member(company);
    await given.shared(meeting, boris);
    const listed = await askFor<MeetingSpeakers>(boris, "speakers.list", { meetingId });
    expect(listed.speakers).toHaveLength(3);
    expect(listed.suggestions).toEqual([]);
    const base = { meetingId, speakerLabel: "s1", baseVersion: 1 };
    for (const [procedure, input] of [
      ["assign", { name: "X" }],
      ["merge", { intoLabel: "s2" }],
      ["split", { turns: [0], name: "X" }],
    ] as const)
      for (const who of [boris, company.admin])
        expect(await ask(who, `speakers.${procedure}`, { ...base, ...input })).toEqual({
          status: 403,
          body: { error: "Access denied. You can only edit your own meetings." },
        });
    expect((await ask(company.admin, "speakers.list", { meetingId })).status).toBe(403);
    await api.db.update(schema.apiKeys).set({ access: "read" }).where(eq(schema.apiKeys.id, anna.keyId));
    const named = { ...base, name: "X" };
    expect(await api.call(anna.key, "rest/me/speakers.assign", named)).toEqual({
      status: 403,
      body: { error: "This API key is read-only." },
    });
    const ours = (verb: string, input: object) =>
      api.call(company.key, `rest/workspace/speakers.${verb}`, input);
    expect((await ours("assign", named)).status).toBe(200);
    const merged = { meetingId, speakerLabel: "s2", baseVersion: 2, intoLabel: "s1" };
    expect((await ours("merge", merged)).status).toBe(200);
    const split = { ...base, baseVersion: 3, turns: [0], name: "Y" };
    expect((await ours("split", split)).status).toBe(200);
    expect(readPayload(await ours("list", { meetingId }))).toMatchObject({ version: 4 });
    await given.leaves(anna);
    expect((await ours("list", { meetingId })).status).toBe(403);
  });
});
