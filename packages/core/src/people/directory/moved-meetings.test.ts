import type { ChangedPerson, EditedSpeaker, PersonDetail } from "@minutes/contract";
import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { asRecorder, type Company, type Meeting, type Person, waitForFeed } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exportMeeting, exportNonMeetings } from "../../export/index.js";
import { importRecording } from "../../ingest/index.js";
import { followMoves } from "../index.js";
import { settlePeople } from "./settle.js";
import { createDirectoryCalls, NEVER, said } from "./testing/calls.js";

const { people, peopleWork, tasks } = schema;

let server: TestServer;
let given: TestServer["given"];
beforeAll(async () => {
  server = await startTestServer();
  given = server.given;
});
afterAll(() => server.close());

const { ask, idOf, read, workspaceKeys } = createDirectoryCalls(() => server);

/** A company whose key is called below `/rest/v1/workspace`. */
async function company(): Promise<Company> {
  const made = await given.company();
  workspaceKeys.add(made.key);
  return made;
}

/**
 * Anna moves from one company to another with a meeting of Zoe, who has an address, and of Guest, whom somebody named
 * there. Both are also known from a meeting of Cem, who stays. The background job has not run yet.
 */
async function moved() {
  const [from, to] = [await company(), await company()];
  const [anna, cem, boris] = [await given.member(from), await given.member(from), await given.member(to)];
  const speakers = [said("a", "Zoe", 0, 5, "zoe@a.example"), said("b", "Guest", 5, 6)];
  const meeting = await given.meeting(anna, {
    transcript: speakers,
    tasks: [{ text: "Feed it", assignee: { name: "Guest" } }],
  });
  const stays = await given.meeting(cem, { transcript: speakers });
  const there = await given.meeting(boris, { transcript: [said("x", "Speaker 1", 0, 1)] });
  const assign = (key: string, { meetingId }: Meeting, label: string, baseVersion: number, who: object) =>
    ask<EditedSpeaker>(key, "PATCH", `/meetings/${meetingId}/speakers/${label}`, { baseVersion, ...who });
  expect((await assign(from.key, meeting, "b", 1, { name: "Guest" })).status).toBe(200);
  const [zoe, guest] = [await idOf(meeting, "Zoe"), await idOf(meeting, "Guest")];
  expect((await assign(from.key, stays, "b", 1, { personId: guest })).status).toBe(200);
  await given.joins(anna, to);
  return { from, to, anna, cem, boris, meeting, stays, there, zoe, guest, assign };
}
type Moved = Awaited<ReturnType<typeof moved>>;

/** Renames both people in the company that Anna left. */
async function renameThere({ from, zoe, guest }: Moved) {
  for (const [personId, name] of [
    [zoe, "Zoe Secretname"],
    [guest, "Guest Secretname"],
  ] as const)
    expect((await ask<ChangedPerson>(from.key, "PATCH", `/people/${personId}`, { name })).status).toBe(200);
  await settlePeople(server.db, NEVER);
}

/** Reads everything that the company Anna joined can read about people. */
async function readAll({ to, anna, meeting, zoe, guest }: Moved): Promise<string> {
  const at = `/meetings/${meeting.meetingId}`;
  const answers: unknown[] = [
    await exportNonMeetings(server.db, { userId: anna.userId }),
    await exportMeeting(server.db, meeting.meetingId),
  ];
  for (const key of [to.key, anna.key])
    for (const path of [
      ...[at, `${at}/transcript`, `${at}/speakers`, `${at}/versions/1`, "/tasks", "/people"],
      ...[`/people/${zoe}`, `/people/${guest}`],
    ])
      answers.push([path, (await ask(key, "GET", path)).body]);
  await waitForFeed(server.db);
  answers.push(await server.data(to.key, "sync/workspace/changes.list"));
  return JSON.stringify(answers).replaceAll(/"nextCursor":"[^"]*"|"updatedAt":"[^"]*"/g, "");
}

describe("a meeting that has just moved with its owner", () => {
  test("200: shows nothing of what the former workspace does with its people since", async () => {
    const scene = await moved();
    const before = await readAll(scene);
    expect(before).not.toContain("Secretname");
    await renameThere(scene);
    const { from, zoe, guest } = scene;
    const merge = await ask<ChangedPerson>(from.key, "POST", `/people/${zoe}/merge`, { intoId: guest });
    expect(merge).toEqual({ status: 200, body: { personId: guest, meetings: 1, tasks: 0 } });
    await settlePeople(server.db, NEVER);
    expect(await readAll(scene)).toBe(before);
  });

  test("404: names nobody whom the new workspace could assign, until it has people of its own", async () => {
    const scene = await moved();
    const { to, there, meeting, zoe, guest, assign } = scene;
    for (const personId of [zoe, guest])
      expect((await assign(to.key, there, "x", 1, { personId })).status, personId).toBe(404);
    await followMoves(server.db, NEVER);
    const own = await idOf(meeting, "Zoe");
    expect((await assign(to.key, there, "x", 1, { personId: own })).status).toBe(200);
    await renameThere(scene);
    await followMoves(server.db, NEVER);
    expect(JSON.stringify([await read(there), await read(meeting)])).not.toContain("Secretname");
    expect(await idOf(there, "Zoe")).toBe(own);
  });

  test("200: an assignee without an address who did not speak becomes a person of the new workspace", async () => {
    const scene = await moved();
    const { from, to, anna } = scene;
    await given.joins(anna, from);
    await followMoves(server.db, NEVER);
    const yan = (label: string) => ({
      ...said(label, "Yan", 0, 5, "yan@a.example"),
      text: "All of the wombats in the yard have been asleep since noon.",
    });
    const sent = {
      ...{
        externalId: "kept-tasks",
        ownerEmail: anna.email,
        title: "Kept",
        startTime: "2026-01-01T10:00:00.000Z",
      },
      ...{
        transcript: [yan("one")],
        tags: [],
        tasks: [{ text: "Wash it", completed: false, assignee: { name: "Yan" } }],
      },
    };
    const recorder = asRecorder(from.workspaceId);
    const summaries = { enabled: true, wake: () => {} };
    await importRecording(server.db, recorder, { ...sent, summary: { markdown: "Asleep." } }, summaries);
    const [task] = await server.db.select().from(tasks).where(eq(tasks.text, "Wash it"));
    const former = task?.assigneePersonId ?? "";
    // Waits for its summary, so the tasks stay; the recorder uses other labels now.
    await importRecording(
      server.db,
      recorder,
      { ...sent, transcript: [yan("two")], tasks: [], replace: true },
      summaries,
    );
    await given.meeting(scene.cem, { transcript: [said("x", "Yan", 0, 1, "yan@a.example")] });
    await given.joins(anna, to);
    await followMoves(server.db, NEVER);
    expect((await ask(from.key, "PATCH", `/people/${former}`, { name: "Yan Secretname" })).status).toBe(200);
    await settlePeople(server.db, NEVER);
    const { body } = await ask<{ tasks: { text: string; assignee: { id: string } | null }[] }>(
      to.key,
      "GET",
      "/tasks",
    );
    const shown = body.tasks.find(({ text }) => text === "Wash it")?.assignee;
    expect(shown).toMatchObject({ name: "Yan" });
    expect(shown?.id).not.toBe(former);
    const detail = await ask<PersonDetail>(to.key, "GET", `/people/${shown?.id}`);
    expect(detail).toMatchObject({ status: 200, body: { name: "Yan", openTasks: 1 } });
    expect(await server.db.$count(people, sql`id = ${shown?.id} and workspace_id = ${to.workspaceId}`)).toBe(
      1,
    );
  });

  test("is identified though another one fails, which is tried again", async () => {
    const { meeting } = await moved();
    const others: Meeting[] = [];
    const [from, to] = [await company(), await company()];
    const dora: Person = await given.member(from);
    for (let number = 0; number < 3; number++)
      others.push(await given.meeting(dora, { transcript: [said("a", "Zoe", 0, 1, "zoe@d.example")] }));
    await given.joins(dora, to);
    const [first] = [meeting, ...others].map(({ meetingId }) => meetingId).sort();
    // What a deadlock does to the victim: its first two transactions are rolled back.
    await server.db.execute(sql`create sequence deadlocks`);
    await server.db.execute(
      sql.raw(`create function deadlock() returns trigger language plpgsql as $$ begin
      if old.meeting_id = '${first}' and nextval('deadlocks') < 3 then raise exception using errcode = '40P01'; end if;
      return new; end $$`),
    );
    await server.db.execute(
      sql`create trigger deadlock before update on participants for each row execute function deadlock()`,
    );
    await followMoves(server.db, NEVER);
    expect(await server.db.$count(peopleWork)).toBe(0);
    await server.db.execute(sql`drop function deadlock cascade`);
  });
});
