import { schema } from "@minutes/db";
import { needs, openTestApi, type Person, readPayload, type TestApi } from "@minutes/testing";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../access/actor.js";
import { eraseFromMeetings, findSought } from "../erasure/index.js";
import { createUser, eraseUser, joinWorkspace, setPlan } from "../workspaces/index.js";
import {
  type Answer,
  CHANGED,
  createRecorder,
  DELETED,
  DIFFERENT,
  ERASED,
  findWorkspace,
  WORDS,
} from "./testing/recorder.js";

const { creditCharges, recordings } = schema;

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

describe("restore", () => {
  const remove = async (owner: Person, meetingId: string) =>
    api.data(owner.key, "me/meetings.delete", { meetingId });

  test("200: the content returns with a new ID, charged once, and the old ID stays deleted", async () => {
    const { anna, send, call, get } = await createRecorder(api, "free");
    const first = await send();
    await setPlan(api.db, OPERATOR, await findWorkspace(api, anna), "team");
    await remove(anna, first.meetingId);
    expect(await call()).toMatchObject(DELETED);
    expect(await call({ replace: true })).toMatchObject(DELETED);
    const restored = await send({ restore: true });
    expect(restored.meetingId).not.toBe(first.meetingId);
    expect((await get(restored.meetingId)).title).toBe("Weekly");
    expect((await api.call(anna.key, "me/meetings.get", { meetingId: first.meetingId })).status).toBe(404);
    expect(await send({ restore: true })).toEqual(restored);
    expect(await send()).toEqual(restored);
    expect(await api.db.$count(creditCharges, eq(creditCharges.userId, anna.userId))).toBe(1);
    // It behaves like any other meeting: different content requires `replace`, and it can be deleted again.
    expect(await call({ ...CHANGED, replace: false, restore: true })).toMatchObject(DIFFERENT);
    await remove(anna, restored.meetingId);
    expect(await call()).toMatchObject(DELETED);
    const again = await send({ ...CHANGED, restore: true });
    expect(new Set([first.meetingId, restored.meetingId, again.meetingId]).size).toBe(3);
  });

  test("200: ten concurrent calls restore one meeting", async () => {
    const { anna, send } = await createRecorder(api);
    await remove(anna, (await send()).meetingId);
    const answers = await Promise.all(Array.from({ length: 10 }, () => send({ restore: true })));
    expect(new Set(answers.map(({ meetingId }) => meetingId)).size).toBe(1);
  });

  test("409: a meeting from which a person was erased is not restored", async () => {
    const { number, anna, send, call } = await createRecorder(api);
    const guest = {
      speakerId: "g",
      speakerName: "Guest",
      speakerEmail: `guest-${number}@example.com`,
      text: WORDS,
    };
    const { meetingId } = await send({ transcript: [guest] });
    expect(
      await eraseFromMeetings(api.db, OPERATOR, await findSought(api.db, guest.speakerEmail), 10),
    ).toEqual([meetingId]);
    expect(await call({ transcript: [guest], title: "Again", replace: true })).toMatchObject(ERASED);
    await remove(anna, meetingId);
    expect(await call({ transcript: [guest], restore: true })).toMatchObject(ERASED);
    const [row] = await api.db.select().from(recordings).where(eq(recordings.id, meetingId));
    expect(row?.externalId).not.toBeNull();
  });

  test("409: a meeting erased with its owner is not restored; without the flag nothing changes", async () => {
    const { company, anna, send, call } = await createRecorder(api);
    await send();
    await eraseUser(api.db, OPERATOR, anna.userId);
    const { userId } = await createUser(api.db, OPERATOR, { email: anna.email, name: "Anna again" });
    await joinWorkspace(api.db, OPERATOR, userId, company.workspaceId);
    expect(await call({ restore: true })).toMatchObject(ERASED);
    expect(await call({ replace: true })).toMatchObject(ERASED);
    expect((await call()).status).toBe(200);
  });
});

describe("in a batch", needs("embedded"), () => {
  test("200: each meeting has its own flags", async () => {
    const { key, meeting, send } = await createRecorder(api);
    const { meetingId } = await send();
    const answer = await api.call(key, "ingest/meetings.importMany", {
      meetings: [{ ...meeting, ...CHANGED }],
    });
    expect(readPayload<Answer>(answer)).toMatchObject({ meetingId, state: "completed" });
  });
});
