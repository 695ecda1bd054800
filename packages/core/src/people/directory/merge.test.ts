import type { ChangedPerson, EditedSpeaker, PersonDetail } from "@minutes/contract";
import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { waitForFeed } from "@minutes/testing";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { settlePeople } from "./settle.js";
import { createDirectoryCalls, NEVER, said } from "./testing/calls.js";

let server: TestServer;
let given: TestServer["given"];
beforeAll(async () => {
  server = await startTestServer();
  given = server.given;
});
afterAll(() => server.close());

const { ask, idOf, listNames, read, scene } = createDirectoryCalls(() => server);

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
