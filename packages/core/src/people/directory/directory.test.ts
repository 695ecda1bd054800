import type { ChangedPerson, PeoplePage, PersonDetail } from "@minutes/contract";
import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import type { Person } from "@minutes/testing";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exportNonMeetings } from "../../export/index.js";
import { settlePeople } from "./settle.js";
import { createDirectoryCalls, NEVER, said } from "./testing/calls.js";

let server: TestServer;
let given: TestServer["given"];
beforeAll(async () => {
  server = await startTestServer();
  given = server.given;
});
afterAll(() => server.close());

const { participants, publicLinks } = schema;

const { ask, idOf, listNames, read, scene, workspaceKeys } = createDirectoryCalls(() => server);

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
      ...{ lastMet: "2026-01-01T10:00:00.000Z", confirmed: true, confirmable: 0 },
      recentMeetings: [
        {
          id: first.meetingId,
          title: "First",
          startTime: "2026-01-01T10:00:00.000Z",
          startPrecision: null,
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

describe("200: pages", () => {
  test("continue after a speaker whose ID has several names, with nobody twice", async () => {
    const { company, anna } = await scene();
    const id = "per_named_twice";
    for (const name of ["Ada", "Bea"]) {
      const { meetingId } = await given.meeting(anna, { transcript: [said("a", name, 0, 1)] });
      // As after somebody undid that both are the same person.
      await server.db.update(participants).set({ personId: id }).where(eq(participants.meetingId, meetingId));
    }
    expect(await listNames(company.key)).toEqual(["Ada", "Bea", "Xaver", "Zoe", "Zoe B."]);
    const after = await ask<PeoplePage>(company.key, "GET", `/people?cursor=${id}`);
    expect(after.body.people.map(({ name }) => name)).toEqual(["Xaver", "Zoe", "Zoe B."]);
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

describe("200: a name that nobody confirmed", () => {
  test("is that of the newest meeting that the caller can read, speakers before assignees; also to sort, filter and page", async () => {
    const { company, anna, boris, first } = await scene();
    const assignee = { name: "Aaa", email: "xaver@b.example" };
    const early = { startTime: "2025-01-01T10:00:00.000Z" };
    await given.meeting(anna, {
      startTime: "2026-03-01T10:00:00.000Z",
      tasks: [{ text: "Weigh it", assignee }],
    });
    expect(await listNames(anna.key)).toEqual(["Aaa", "Zoe"]);
    const find = async (who: Pick<Person, "key">, name: string) =>
      (await ask<PeoplePage>(who.key, "GET", `/people?name=${name}`)).body.people.map((one) => one.name);
    expect([await find(anna, "xav"), await find(anna, "aa")]).toEqual([[], ["Aaa"]]);
    expect([await find(company, "xav"), await find(company, "aa")]).toEqual([["Xaver"], []]);
    const { body: page } = await ask<PeoplePage>(anna.key, "GET", "/people?limit=1");
    const { body: rest } = await ask<PeoplePage>(
      anna.key,
      "GET",
      `/people?limit=1&cursor=${page.nextCursor}`,
    );
    expect([...page.people, ...rest.people].map(({ name }) => name)).toEqual(["Aaa", "Zoe"]);
    const [xaver] = page.people;
    const shown = await ask<PersonDetail>(anna.key, "GET", `/people/${xaver?.id}`);
    expect(shown.body).toMatchObject({ name: "Aaa", meetings: 0, openTasks: 1, recentMeetings: [] });

    await given.meeting(boris, { ...early, transcript: [said("a", "Older", 0, 1, "xaver@b.example")] });
    expect(await listNames(boris.key)).toEqual(["Xaver", "Zoe B."]);
    await given.meeting(boris, {
      startTime: "2026-04-01T10:00:00.000Z",
      transcript: [said("a", "Newer", 0, 1, "xaver@b.example")],
    });
    expect(await listNames(company.key)).toEqual(["Newer", "Zoe", "Zoe B."]);
    expect(await listNames(anna.key)).toEqual(["Aaa", "Zoe"]);
    expect(await idOf(first, "Zoe")).not.toBe("");
  });

  test("is chosen by no member for a merge: the workspace's newest speaker counts", async () => {
    const { company, anna, boris, first } = await scene();
    await given.meeting(anna, {
      tasks: [{ text: "Weigh it", assignee: { name: "Rude", email: "yan@b.example" } }],
    });
    const met = await given.meeting(boris, { transcript: [said("a", "Yan", 0, 1, "yan@b.example")] });
    const [zoe, yan] = [await idOf(first, "Zoe"), await idOf(met, "Yan")];
    expect((await ask(company.key, "POST", `/people/${zoe}/merge`, { intoId: yan })).status).toBe(200);
    await settlePeople(server.db, NEVER);
    expect(await listNames(anna.key)).toEqual(["Yan"]);
    expect(await idOf(first, "Yan")).toBe(yan);
    await ask(company.key, "POST", `/people/${zoe}/unmerge`);
    await settlePeople(server.db, NEVER);
    expect(await idOf(first, "Zoe")).toBe(zoe);
  });

  test("ends links that mask names when it changes, because texts have the former one", async () => {
    const { company, first } = await scene();
    const { meetingId } = first;
    await server.db.insert(publicLinks).values({
      ...{ id: "lnk_1", hash: Buffer.from("link"), meetingId, workspaceId: company.workspaceId },
      ...{ scope: "summary", masksNames: true, expiresAt: "2100-01-01T00:00:00.000Z" },
    });
    await ask(company.key, "PATCH", `/people/${await idOf(first, "Zoe")}`, { name: "Ulla" });
    await settlePeople(server.db, NEVER);
    expect(await idOf(first, "Ulla")).not.toBe("");
    expect(await server.db.$count(publicLinks, eq(publicLinks.meetingId, meetingId))).toBe(0);
  });

  test("is in the export of a user as their meetings have it, with no address of others", async () => {
    const { company, anna, first, second } = await scene();
    await given.meeting(anna, {
      tasks: [{ text: "Weigh it", assignee: { name: "X", email: "xaver@b.example" } }],
    });
    const [zoe, other] = [await idOf(first, "Zoe"), await idOf(second, "Zoe B.")];
    await ask(company.key, "POST", `/people/${zoe}/merge`, { intoId: other });
    const { records } = await exportNonMeetings(server.db, { userId: anna.userId });
    const people = records.flatMap((record) => (record.kind === "person" ? [record] : []));
    expect(Object.fromEntries(people.map(({ name, emails }) => [name, emails]))).toEqual({
      ...{ X: ["xaver@b.example"], Zoe: ["zoe@a.example"] },
      "Zoe B.": [],
    });
  });

  test("400: a person whom the caller can't see is no cursor", async () => {
    const { anna, second } = await scene();
    const error = { status: 400, body: { error: "Invalid cursor format" } };
    for (const cursor of [await idOf(second, "Xaver"), "per_x"])
      expect(await ask(anna.key, "GET", `/people?name=q&cursor=${cursor}`)).toEqual(error);
  });
});

test("200: a speaker whose name nobody knows is shown by ID, though not listed, to those who can read the meeting", async () => {
  const { company, anna, boris, first } = await scene({
    tasks: [{ text: "Feed it", assignee: { name: "Speaker 2" } }],
  });
  const guest = await idOf(first, "Speaker 2");
  const shown = {
    ...{
      id: guest,
      name: "Speaker 2",
      emails: [],
      meetings: 1,
      openTasks: 1,
      lastMet: "2026-01-01T10:00:00.000Z",
      ...{ confirmed: false, confirmable: 0 },
    },
    recentMeetings: [expect.objectContaining({ id: first.meetingId, turns: 1, talkSeconds: 1 })],
  };
  for (const who of [anna, company])
    expect(await ask(who.key, "GET", `/people/${guest}`)).toEqual({ status: 200, body: shown });
  expect((await ask(boris.key, "GET", `/people/${guest}`)).status).toBe(404);
  expect(await listNames(anna.key)).toEqual(["Zoe"]);
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
    expect(log).toMatchObject([{ action: "person.rename", actor: company.admin.keyId }]);
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
