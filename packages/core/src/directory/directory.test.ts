import type { ChangedPerson, EditedSpeaker, PeoplePage, PersonDetail } from "@minutes/contract";
import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { type Meeting, type MeetingFacts, type Person, send, waitForFeed } from "@minutes/testing";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { settlePeople } from "./settle.js";

let server: TestServer;
let given: TestServer["given"];
beforeAll(async () => {
  server = await startTestServer();
  given = server.given;
});
afterAll(() => server.close());

const NEVER = new AbortController().signal;

/** Calls a resource with a key. */
async function ask<Payload>(key: string, method: string, path: string, body?: object) {
  const routes = key.startsWith("jk_") && workspaceKeys.has(key) ? "workspace" : "me";
  const answer = await send(server.url, `/rest/v1/${routes}${path}`, {
    method,
    headers: { "x-api-key": key, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: answer.status, body: answer.body as Payload };
}
const workspaceKeys = new Set<string>();

const said = (speakerId: string, speakerName: string, start: number, end: number, speakerEmail?: string) => ({
  ...{ speakerId, speakerName, start, end, text: "The wombat sleeps." },
  ...(speakerEmail === undefined ? {} : { speakerEmail }),
});
const read = ({ owner, meetingId }: Meeting) => server.data(owner.key, "me/meetings.get", { meetingId });
const idOf = async (meeting: Meeting, name: string) =>
  (await read(meeting)).participants.find((one) => one.name === name)?.id ?? "";

/** Anna and Boris each have a meeting with Zoe; Boris's also has Xaver. Zoe is known by two addresses. */
async function scene(facts: MeetingFacts = {}) {
  const company = await given.company();
  workspaceKeys.add(company.key);
  const [anna, boris] = [await given.member(company), await given.member(company)];
  const first = await given.meeting(anna, {
    ...{ title: "First", startTime: "2026-01-01T10:00:00.000Z" },
    transcript: [
      said("a", "Zoe", 0, 5, "zoe@a.example"),
      said("b", "Guest", 5, 6),
      said("a", "Zoe", 6, 8, "zoe@a.example"),
    ],
    tasks: [{ text: "Feed it", assignee: { name: "Zoe" } }],
    ...facts,
  });
  const second = await given.meeting(boris, {
    ...{ title: "Secret", startTime: "2026-02-01T10:00:00.000Z" },
    transcript: [said("x", "Zoe B.", 0, 5, "zoe@b.example"), said("y", "Xaver", 5, 6, "xaver@b.example")],
    tasks: [{ text: "Count it", assignee: { name: "Zo", email: "zoe@b.example" } }],
  });
  return { company, anna, boris, first, second };
}
const listNames = async (key: string) => {
  const { status, body } = await ask<PeoplePage>(key, "GET", "/people");
  expect(status).toBe(200);
  return body.people.map(({ name }) => name);
};

describe("200: the directory", () => {
  test("has people of meetings that the caller can read, and counts nothing of others", async () => {
    const { company, anna, boris, first, second } = await scene();
    expect(await listNames(anna.key)).toEqual(["Zoe"]);
    expect(await listNames(boris.key)).toEqual(["Xaver", "Zoe B."]);
    expect(await listNames(company.key)).toEqual(["Xaver", "Zoe", "Zoe B."]);
    expect(await listNames(company.admin.key)).toEqual([]);
    expect(await listNames((await given.person()).key)).toEqual([]);
    const zoe = await idOf(first, "Zoe");
    const shown = await ask<PersonDetail>(anna.key, "GET", `/people/${zoe}`);
    expect(shown.body).toEqual({
      ...{ id: zoe, name: "Zoe", emails: ["zoe@a.example"], meetings: 1, openTasks: 1 },
      lastMet: "2026-01-01T10:00:00.000Z",
      recentMeetings: [
        {
          id: first.meetingId,
          title: "First",
          startTime: "2026-01-01T10:00:00.000Z",
          turns: 2,
          talkSeconds: 7,
        },
      ],
    });
    const secret = await idOf(second, "Xaver");
    for (const key of [anna.key, company.admin.key])
      expect(await ask(key, "GET", `/people/${secret}`)).toEqual({
        status: 404,
        body: { error: "No such person." },
      });
  });

  test("is paged and filtered by name; an unknown cursor is 400", async () => {
    const { company } = await scene();
    const first = await ask<PeoplePage>(company.key, "GET", "/people?limit=2");
    expect(first.body.people.map(({ name }) => name)).toEqual(["Xaver", "Zoe"]);
    const rest = await ask<PeoplePage>(company.key, "GET", `/people?limit=2&cursor=${first.body.nextCursor}`);
    expect(rest.body).toMatchObject({ people: [{ name: "Zoe B." }], nextCursor: null });
    const found = await ask<PeoplePage>(company.key, "GET", "/people?name=ZOE");
    expect(found.body.people.map(({ name }) => name)).toEqual(["Zoe", "Zoe B."]);
    expect((await ask(company.key, "GET", "/people?cursor=per_x")).status).toBe(400);
  });
});

describe("200: names", () => {
  test("are sorted and filtered without accents and case, also across pages", async () => {
    const company = await given.company();
    workspaceKeys.add(company.key);
    const names = ["Aaron", "Ágnes", "álvaro", "Łukasz", "lyra", "Özlem", "zack", "Zoë"];
    const shuffled = names.toSorted((one, other) => one.charCodeAt(1) - other.charCodeAt(1));
    await given.meeting(await given.member(company), {
      transcript: shuffled.map((name, at) => said(`s${at}`, name, at, at + 1, `sorted${at}@a.example`)),
    });
    expect(await listNames(company.key)).toEqual(names);
    const paged: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: { body: PeoplePage } = await ask(company.key, "GET", `/people?limit=3&cursor=${cursor}`);
      paged.push(...page.body.people.map(({ name }) => name));
      cursor = page.body.nextCursor;
    }
    expect(paged).toEqual(names);
    const found = await ask<PeoplePage>(company.key, "GET", "/people?name=LU");
    expect(found.body.people.map(({ name }) => name)).toEqual(["Łukasz"]);
  });
});

describe("200: a merge", () => {
  test("is one person at once, and names, search and copies follow", async () => {
    const { company, anna, boris, first, second } = await scene();
    const [zoe, other] = [await idOf(first, "Zoe"), await idOf(second, "Zoe B.")];
    const merge = { intoId: zoe };
    const counted = await ask<ChangedPerson>(company.key, "POST", `/people/${other}/merge`, {
      ...merge,
      dryRun: true,
    });
    expect(counted.body).toEqual({ personId: zoe, meetings: 1, tasks: 1 });
    expect(await idOf(second, "Zoe B.")).toBe(other);
    await waitForFeed(server.db);
    const copy = await server.data(boris.key, "sync/me/changes.list");
    const merged = await ask<ChangedPerson>(company.key, "POST", `/people/${other}/merge`, merge);
    expect(merged.body).toEqual(counted.body);
    expect(await idOf(second, "Zoe B.")).toBe(zoe);
    await settlePeople(server.db, NEVER);
    expect(await idOf(second, "Zoe")).toBe(zoe);
    const after = await read(second);
    expect(after.transcript).toContain("**Zoe**: The wombat sleeps.");
    expect(after.tasks[0]?.assignee).toEqual({ name: "Zoe", email: "zoe@b.example" });
    const { results } = await server.data(boris.key, "me/meetings.search", {
      query: "zoe wombat",
      startDate: "2020-01-01",
    });
    expect(results[0]?.text).toContain("Zoe: The wombat");
    await waitForFeed(server.db);
    const { changes } = await server.data(boris.key, "sync/me/changes.list", { cursor: copy.nextCursor });
    expect(changes).toContainEqual(
      expect.objectContaining({ type: "meeting", id: second.meetingId, op: "upsert" }),
    );
    expect(await listNames(company.key)).toEqual(["Xaver", "Zoe"]);
    const shown = await ask<PersonDetail>(company.key, "GET", `/people/${other}`);
    expect(shown.body).toMatchObject({
      id: zoe,
      meetings: 2,
      openTasks: 2,
      emails: ["zoe@a.example", "zoe@b.example"],
    });
    expect((await ask<PersonDetail>(anna.key, "GET", `/people/${zoe}`)).body).toMatchObject({ meetings: 1 });
    const third = await given.meeting(boris, { transcript: [said("q", "Zoe Q", 0, 1, "zoe@b.example")] });
    expect((await read(third)).participants).toEqual([{ id: zoe, name: "Zoe", email: "zoe@b.example" }]);
    const settled = await server.db.select().from(schema.people).where(eq(schema.people.id, zoe));
    expect(settled).toMatchObject([{ revision: 1, settledRevision: 1 }]);
  });

  test("can be undone: both have their own meetings, addresses and names again, also in later imports", async () => {
    const { company, anna, boris, first, second } = await scene();
    const [zoe, other] = [await idOf(first, "Zoe"), await idOf(second, "Zoe B.")];
    await ask(company.key, "POST", `/people/${zoe}/merge`, { intoId: other });
    await settlePeople(server.db, NEVER);
    expect(await idOf(first, "Zoe B.")).toBe(other);
    const later = await given.meeting(anna, { transcript: [said("q", "Z", 0, 1, "zoe@a.example")] });
    expect(await idOf(later, "Zoe B.")).toBe(other);
    expect((await ask(anna.key, "POST", `/people/${zoe}/unmerge`)).status).toBe(403);
    const foreign = await scene();
    expect((await ask(foreign.company.key, "POST", `/people/${zoe}/unmerge`)).status).toBe(404);

    const undone = await ask<ChangedPerson>(company.key, "POST", `/people/${zoe}/unmerge`);
    expect(undone).toEqual({ status: 200, body: { personId: zoe, meetings: 2, tasks: 1 } });
    await settlePeople(server.db, NEVER);
    for (const meeting of [first, later]) expect(await idOf(meeting, "Zoe")).toBe(zoe);
    expect(await idOf(second, "Zoe B.")).toBe(other);
    expect((await read(first)).tasks[0]?.assignee).toMatchObject({ name: "Zoe" });
    expect((await read(second)).tasks[0]?.assignee).toMatchObject({ name: "Zoe B." });
    const next = await given.meeting(boris, { transcript: [said("q", "Q", 0, 1, "zoe@a.example")] });
    expect((await read(next)).participants).toEqual([{ id: zoe, name: "Zoe", email: "zoe@a.example" }]);
    expect(await ask(company.key, "POST", `/people/${zoe}/unmerge`)).toEqual({
      status: 409,
      body: { error: "This person is not merged into another." },
    });
    const log = await server.db.select().from(schema.auditLog).where(eq(schema.auditLog.object, zoe));
    expect(log.map(({ action }) => action).sort()).toEqual(["person.merge", "person.unmerge"]);
  });

  test("continues where a killed process stopped", async () => {
    const { company, first, second } = await scene();
    const [zoe, other] = [await idOf(first, "Zoe"), await idOf(second, "Zoe B.")];
    await ask(company.key, "POST", `/people/${zoe}/merge`, { intoId: other });
    const aborted = new AbortController();
    aborted.abort();
    await settlePeople(server.db, aborted.signal);
    expect(await idOf(first, "Zoe")).toBe(other);
    await settlePeople(server.db, NEVER);
    expect(await idOf(first, "Zoe B.")).toBe(other);
  });

  test("of a person renamed just before renames their tasks in meetings where they did not speak", async () => {
    const { company, boris, first, second } = await scene();
    const [zoe, other] = [await idOf(first, "Zoe"), await idOf(second, "Zoe B.")];
    const absent = await given.meeting(boris, {
      transcript: [said("y", "Xaver", 0, 1, "xaver@b.example")],
      tasks: [{ text: "Weigh it", assignee: { name: "Zo", email: "zoe@b.example" } }],
    });
    await ask(company.key, "PATCH", `/people/${other}`, { name: "Zora" });
    await ask(company.key, "POST", `/people/${other}/merge`, { intoId: zoe });
    await settlePeople(server.db, NEVER);
    expect((await read(absent)).tasks[0]?.assignee).toEqual({ name: "Zoe", email: "zoe@b.example" });
  });

  test("and its undoing reach copies of a task whose assignee did not speak and has the same name", async () => {
    const { company, boris, first, second } = await scene();
    const [zoe, other] = [await idOf(first, "Zoe"), await idOf(second, "Zoe B.")];
    const absent = await given.meeting(boris, {
      transcript: [said("y", "Xaver", 0, 1, "xaver@b.example")],
      tasks: [{ text: "Weigh it", assignee: { name: "Zoe", email: "zoe@b.example" } }],
    });
    const taskId = absent.taskIds[0] ?? "";
    await ask(company.key, "PATCH", `/people/${other}`, { name: "Zoe" });
    await settlePeople(server.db, NEVER);
    await waitForFeed(server.db);
    let { nextCursor: cursor } = await server.data(boris.key, "sync/me/changes.list");
    for (const [path, input, assignee] of [
      ["merge", { intoId: zoe }, zoe],
      ["unmerge", undefined, other],
    ] as const) {
      await ask(company.key, "POST", `/people/${other}/${path}`, input);
      await settlePeople(server.db, NEVER);
      await waitForFeed(server.db);
      const { changes, nextCursor } = await server.data(boris.key, "sync/me/changes.list", { cursor });
      const change = changes.find(({ id }) => id === taskId);
      expect(change, path).toMatchObject({ op: "upsert", data: { assignee: { id: assignee } } });
      cursor = nextCursor;
    }
  });

  test("follows in a version that is restored later", async () => {
    const { company, anna, first } = await scene();
    const zoe = await idOf(first, "Zoe");
    const edit = { baseVersion: 1, name: "Ada", email: "ada@a.example" };
    const at = `/meetings/${first.meetingId}`;
    expect((await ask<EditedSpeaker>(anna.key, "PATCH", `${at}/speakers/a`, edit)).status).toBe(200);
    const again = await given.meeting(anna, { transcript: [said("x", "Zoe", 0, 1, "zoe@a.example")] });
    const id = await idOf(again, "Zoe");
    expect(id).not.toBe("");
    await ask(company.key, "PATCH", `/people/${id}`, { name: "Zora" });
    await settlePeople(server.db, NEVER);
    expect((await ask(anna.key, "POST", `${at}/versions/1/restore`, { baseVersion: 2 })).status).toBe(200);
    expect((await read(first)).participants[0]).toMatchObject({ name: "Zora", email: "zoe@a.example" });
    expect(zoe).toMatch(/^per_/);
  });
});

describe("a name of the directory", () => {
  test("200: a rename by an admin counts in all meetings, also imported ones, and is in the audit log", async () => {
    const { company, anna, first } = await scene();
    const zoe = await idOf(first, "Zoe");
    const renamed = await ask<ChangedPerson>(company.admin.key, "PATCH", `/people/${zoe}`, {
      name: "Zoe Zander",
    });
    expect(renamed).toEqual({ status: 200, body: { personId: zoe, meetings: 1, tasks: 1 } });
    await settlePeople(server.db, NEVER);
    expect(await idOf(first, "Zoe Zander")).toBe(zoe);
    const next = await given.meeting(anna, { transcript: [said("a", "Z.", 0, 1, "zoe@a.example")] });
    expect((await read(next)).participants[0]).toMatchObject({ id: zoe, name: "Zoe Zander" });
    const log = await server.db.select().from(schema.auditLog).where(eq(schema.auditLog.object, zoe));
    expect(log).toMatchObject([{ action: "person.rename", actor: company.admin.userId }]);
  });

  test("403 and 404: members, and the admins and keys of other workspaces, can't rename or merge", async () => {
    const { anna, first, second } = await scene();
    const other = await scene();
    const [zoe, xaver] = [await idOf(first, "Zoe"), await idOf(second, "Xaver")];
    const before = [await read(first), await read(second)];
    const tryAll = async (who: Pick<Person, "key">) => [
      (await ask(who.key, "PATCH", `/people/${zoe}`, { name: "X" })).status,
      (await ask(who.key, "POST", `/people/${zoe}/merge`, { intoId: xaver })).status,
      (await ask(who.key, "POST", `/people/${zoe}/merge`, { intoId: xaver, dryRun: true })).status,
    ];
    expect(await tryAll(anna)).toEqual([403, 403, 403]);
    expect(await tryAll(other.company.admin)).toEqual([404, 404, 404]);
    expect(await tryAll(other.company)).toEqual([404, 404, 404]);
    await settlePeople(server.db, NEVER);
    expect([await read(first), await read(second)]).toEqual(before);
  });

  test("400: a person can't be merged with themselves, under whatever ID", async () => {
    const { company, first, second } = await scene();
    const [zoe, other] = [await idOf(first, "Zoe"), await idOf(second, "Zoe B.")];
    const error = { status: 400, body: { error: "A person can't be merged with themselves." } };
    expect(await ask(company.key, "POST", `/people/${zoe}/merge`, { intoId: zoe })).toEqual(error);
    await ask(company.key, "POST", `/people/${other}/merge`, { intoId: zoe });
    expect(await ask(company.key, "POST", `/people/${zoe}/merge`, { intoId: other })).toEqual(error);
  });
});
