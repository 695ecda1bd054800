import { startTestServer, type TestServer } from "@minutes/server/testing";
import { createTRPCClient } from "@trpc/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createScript, getFailure, no } from "../test/scripted.js";
import { createPeopleClient, type PeopleClient } from "./index.js";
import { createLink } from "./link.js";
import { aimAtResource } from "./resources.js";
import type { PeopleRouter } from "./routers.js";

const said = (speakerId: string, speakerName: string, start: number) => ({
  ...{ speakerId, speakerName, start, end: start + 5, text: "The wombat sleeps." },
});

describe("with real HTTP", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.close());

  /** A meeting with two unknown speakers, and clients of its owner and workspace. */
  async function scene() {
    const company = await server.given.company();
    const owner = await server.given.member(company);
    const { meetingId } = await server.given.meeting(owner, {
      transcript: [said("a", "Speaker 1", 0), said("b", "Speaker 2", 5), said("a", "Speaker 1", 10)],
    });
    const connect = (routes: "me" | "workspace", apiKey: string): PeopleClient =>
      createPeopleClient(routes, { baseUrl: server.url, apiKey });
    return { meetingId, me: connect("me", owner.key), workspace: connect("workspace", company.key) };
  }

  test("200: a speaker whose ID has characters of a path is named; dots alone can't be in one", async () => {
    const owner = await server.given.person();
    const people = createPeopleClient("me", { baseUrl: server.url, apiKey: owner.key });
    for (const id of ["room/1", "a+b", "50%", "x?y#z", "../tasks"]) {
      const { meetingId } = await server.given.meeting(owner, { transcript: [said(id, "Speaker 1", 0)] });
      const { version, speakers } = await people.speakers.list.query({ meetingId });
      const [speaker] = speakers;
      if (!speaker) throw new Error("no speaker");
      const { speakerLabel } = speaker;
      const input = { meetingId, speakerLabel, baseVersion: version, name: "Ada" };
      expect(await people.speakers.assign.mutate(input)).toMatchObject({ speakerLabel });
    }
    for (const meetingId of ["", ".", ".."])
      await expect(people.speakers.list.query({ meetingId })).rejects.toThrow("meetingId can't be");
  });

  test("200: speakers are named, split, merged, and each edit is undone by its version", async () => {
    const { meetingId, me } = await scene();
    const list = () => me.speakers.list.query({ meetingId });
    const before = await list();
    const [first] = before.speakers;
    const speakerLabel = first?.speakerLabel ?? "";
    const named = await me.speakers.assign.mutate({
      ...{ meetingId, speakerLabel, baseVersion: before.version, name: "Ada", email: "ada@x.example" },
    });
    expect(named).toMatchObject({ speakerLabel, formerName: "Speaker 1", version: before.version + 1 });
    const { segments } = await me.meetings.transcript.query({ meetingId });
    expect(segments.map(({ speakerName }) => speakerName)).toEqual(["Ada", "Speaker 2", "Ada"]);
    const split = await me.speakers.split.mutate({
      ...{ meetingId, speakerLabel, baseVersion: named.version, turns: [2], name: "Ben" },
    });
    expect((await list()).speakers.map(({ name }) => name)).toEqual(["Ada", "Speaker 2", "Ben"]);
    const merged = await me.speakers.merge.mutate({
      ...{ meetingId, speakerLabel: split.speakerLabel, intoLabel: speakerLabel, baseVersion: split.version },
    });
    expect((await list()).speakers.map(({ name }) => name)).toEqual(["Ada", "Speaker 2"]);
    const { version, versions } = await me.meetings.listVersions.query({ meetingId });
    expect([version, versions.length]).toEqual([merged.version, 4]);
    await me.meetings.restoreVersion.mutate({ meetingId, version: before.version, baseVersion: version });
    expect((await list()).speakers.map(({ name }) => name)).toEqual(["Speaker 1", "Speaker 2"]);
  });

  test("200: meetings and tasks are edited, and an earlier version is read", async () => {
    const { meetingId, workspace } = await scene();
    const edited = await workspace.meetings.update.mutate({ meetingId, baseVersion: 1, title: "New & old?" });
    const turn = { meetingId, turn: 1, baseVersion: edited.version, spokenText: "It woke up." };
    const { version } = await workspace.meetings.updateTurn.mutate(turn);
    const task = { meetingId, baseVersion: version, text: "Feed it", assignee: { name: "Ada" } };
    const added = await workspace.tasks.create.mutate(task);
    const dated = { meetingId, taskId: added.taskId, baseVersion: added.version, assignee: null };
    const changed = await workspace.meetings.updateTask.mutate(dated);
    await workspace.tasks.delete.mutate({ taskId: added.taskId, baseVersion: changed.version });
    const first = await workspace.meetings.getVersion.query({ meetingId, version: 1 });
    const second = await workspace.meetings.getVersion.query({ meetingId, version: edited.version });
    expect(second.title).toBe("New & old?");
    expect(first.title).not.toBe(second.title);
  });

  test("200: people are listed in pages, shown, renamed and merged", async () => {
    const { meetingId, workspace } = await scene();
    for (const [at, label] of ["a", "b"].entries())
      await workspace.speakers.assign.mutate({
        ...{ meetingId, speakerLabel: label, baseVersion: at + 1, name: `Zoë ${at} / ?&` },
      });
    const { people, nextCursor } = await workspace.people.list.query({ limit: 1, name: "zoe" });
    const rest = await workspace.people.list.query({ limit: 1, name: "zoe", cursor: nextCursor ?? "" });
    const [one, two] = [people[0]?.id ?? "", rest.people[0]?.id ?? ""];
    expect(await workspace.people.update.mutate({ personId: one, name: "Zoë" })).toMatchObject({
      meetings: 1,
    });
    const merge = { personId: two, intoId: one };
    expect(await workspace.people.merge.mutate({ ...merge, dryRun: true })).toMatchObject({ personId: one });
    await workspace.people.merge.mutate(merge);
    expect(await workspace.people.get.query({ personId: two })).toMatchObject({ id: one, name: "Zoë" });
    await workspace.people.unmerge.mutate({ personId: two });
    expect(await workspace.people.get.query({ personId: two })).toMatchObject({ id: two });
  });

  test("an error has the service's message and status", async () => {
    const { meetingId, me } = await scene();
    const failures = [
      me.people.get.query({ personId: "per_none" }),
      me.people.update.mutate({ personId: "per_none", name: "X" }),
      me.meetings.update.mutate({ meetingId, baseVersion: 7, title: "Stale" }),
    ];
    const codes = [];
    for (const call of failures) codes.push((await getFailure(call)).code);
    expect(codes).toEqual(["not_found", "forbidden", "conflict"]);
    // @ts-expect-error: the base version is missing.
    expect((await getFailure(me.meetings.update.mutate({ meetingId, title: "Old" }))).status).toBe(400);
  });
});

test("a merge has an idempotency key and is retried; a rename is not", async () => {
  const { clock, fetch, requests } = createScript([
    no(503),
    { status: 200, body: { personId: "per_1" } },
    no(503),
  ]);
  const options = { baseUrl: "https://minutes.test", apiKey: "jk_test", fetch };
  const client = createTRPCClient<PeopleRouter>({
    links: [createLink(clock, "rest/v1/me", options, aimAtResource)],
  });
  const merge = client.people.merge.mutate({ personId: "per_/2", intoId: "per_1" });
  expect(await merge).toEqual({ personId: "per_1" });
  await getFailure(client.people.update.mutate({ personId: "per_1", name: "Ada" }));
  const keys = requests.map(([, init]) => init.headers["idempotency-key"]);
  expect(keys).toEqual([expect.any(String), keys[0], undefined]);
  // @ts-expect-error: the path needs the meeting.
  const edit = client.meetings.updateTask.mutate({ taskId: "tsk_1", baseVersion: 1, text: "X" });
  await expect(edit).rejects.toThrow("meetingId is missing.");
  expect(requests).toHaveLength(3);
  expect(requests[0]?.[0]).toBe("https://minutes.test/rest/v1/me/people/per_%2F2/merge");
  expect(requests[0]?.[1]).toMatchObject({ method: "POST", body: '{"intoId":"per_1"}' });
});
