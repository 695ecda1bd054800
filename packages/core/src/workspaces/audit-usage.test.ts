import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import {
  type Company,
  createWorkspaceKey,
  openSignedInBrowser,
  type Person,
  readPayload,
  type TestBrowser,
} from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../access/actor.js";
import { RequestStatistics } from "../api/rate-limit/index.js";
import { createWorkspace, joinWorkspace } from "./index.js";

interface Log {
  readonly entries: {
    actor: string;
    actorEmail: string | null;
    action: string;
    object: string;
    objectName: string | null;
  }[];
  readonly nextCursor: number | null;
}
interface Requests {
  readonly requests: { keys: string; minute: string; count: number }[];
}

describe("the admins' view of their workspace", () => {
  let server: TestServer;
  let company: Company;
  let member: Person;
  let admin: TestBrowser;
  let other: TestBrowser;
  beforeAll(async () => {
    server = await startTestServer();
    const { id: workspaceId } = await createWorkspace(server.db, OPERATOR, { name: "Acme", plan: "team" });
    const { admin: founder } = await server.given.company();
    await joinWorkspace(server.db, OPERATOR, founder.userId, workspaceId, "admin");
    const { id: keyId, key } = await createWorkspaceKey(server.db, founder.userId, "test");
    company = { workspaceId, admin: founder, key, keyId };
    member = await server.given.member(company);
    admin = await openSignedInBrowser(server, company.admin);
    other = await openSignedInBrowser(server, (await server.given.company()).admin);
  });
  afterAll(() => server.close());

  const readLog = async (where: TestBrowser, filter: object = {}) =>
    readPayload<Log>(await where.read("settings/v1/audit.list", filter));

  test("200: an admin reads the workspace's actions, including the operator's; another workspace's admin reads none", async () => {
    const meeting = await server.given.meeting(member);
    await (await openSignedInBrowser(server, member)).write("console/v1/meetings.delete", {
      meetingId: meeting.meetingId,
    });
    const own = await readLog(admin);
    expect(own.entries.find(({ object }) => object === meeting.meetingId)).toMatchObject({
      actor: member.userId,
      actorEmail: member.email,
      actorName: member.email,
      action: "meeting.delete",
      objectName: null,
    });
    expect(own.entries).toContainEqual(
      expect.objectContaining({ actor: "operator", action: "workspace.create", object: company.workspaceId }),
    );
    // Keys have their names while their holder is a member.
    const keyName = async () =>
      (await readLog(admin, { action: "key.create", actor: member.email })).entries.at(0)?.objectName;
    await (await openSignedInBrowser(server, member)).write("settings/v1/keys.create", {
      kind: "personal",
      name: "Laptop",
    });
    expect(await keyName()).toBe("Laptop");
    await server.given.leaves(member);
    expect(await keyName()).toBe(null);
    await server.given.joins(member, company);
    const objects = new Set((await readLog(other)).entries.map(({ object }) => object));
    expect(own.entries.filter(({ object }) => objects.has(object))).toEqual([]);
  });

  test("200: a meeting's title and a tag's name are shown only to an admin who can read them", async () => {
    const { meetingId } = await server.given.meeting(member, { title: "Salaries" });
    const theirs = await openSignedInBrowser(server, member);
    const change = async (path: string, input: object) => readPayload(await theirs.write(path, input));
    await change("settings/v1/meetings.tag", { meetingId, name: "Pay" });
    const { tags } = readPayload<{ tags: { id: string }[] }>(await theirs.read("settings/v1/tags.list"));
    const tagId = tags[0]?.id ?? "";
    const colleague = { email: (await server.given.member(company)).email };
    const reader = { email: company.admin.email };
    await change("settings/v1/meetings.share", { meetingId, ...colleague });
    await change("settings/v1/tags.share", { tagId, ...colleague });
    const readNames = async () => {
      const { entries } = await readLog(admin, { actor: member.email });
      return [meetingId, tagId].map((id) => entries.find(({ object }) => object === id)?.objectName);
    };
    // An admin reads the log, not the members' meetings.
    expect(await readNames()).toEqual([null, null]);
    await change("settings/v1/meetings.share", { meetingId, ...reader });
    expect(await readNames()).toEqual(["Salaries", null]);
    await change("settings/v1/meetings.unshare", { meetingId, ...reader });
    await change("settings/v1/tags.share", { tagId, ...reader });
    expect(await readNames()).toEqual(["Salaries", "Pay"]);
    await change("settings/v1/tags.unshare", { tagId, ...reader });
    expect(await readNames()).toEqual([null, null]);
    await change("settings/v1/meetings.share", { meetingId, ...reader });
    await change("console/v1/meetings.delete", { meetingId });
    expect(await readNames()).toEqual([null, null]);
  });

  test("200: a session has its browser's name until it ends", async () => {
    const person = await server.given.member(company);
    const browser = await openSignedInBrowser(server, person);
    const readName = async () =>
      (await readLog(admin, { action: "session.create", actor: person.email })).entries.at(0)?.objectName;
    expect(await readName()).toMatch(/./);
    await browser.write("settings/v1/account.endAllSessions", {});
    expect(await readName()).toBe(null);
  });

  test("200: filters and pages; 403 for a member; 400 for another workspace's id", async () => {
    const asMember = await openSignedInBrowser(server, member);
    const { entries } = await readLog(admin, { action: "session", actor: member.email });
    expect(entries).toContainEqual(
      expect.objectContaining({ action: "session.create", method: "link", network: "127.0.0.0/24" }),
    );
    const first = await readLog(admin, { limit: 1 });
    const second = await readLog(admin, { limit: 1, cursor: first.nextCursor });
    expect(second.entries).not.toEqual(first.entries);
    expect((await asMember.read("settings/v1/audit.list")).status).toBe(403);
    const foreign = await admin.read("settings/v1/audit.list", { workspaceId: company.workspaceId });
    expect(foreign.status).toBe(400);
  });

  test("200: requests of the last hour are counted by kind of key; a member sees only their own", async () => {
    await server.call(company.key, "workspace/meetings.list");
    await server.call(member.key, "me/meetings.list");
    await server.call(member.key, "me/meetings.list");
    const readTotals = async (where: TestBrowser) => {
      const { requests } = readPayload<Requests>(await where.read("settings/v1/plan.usage"));
      const totals: Record<string, number> = {};
      for (const { keys, count } of requests) totals[keys] = (totals[keys] ?? 0) + count;
      return totals;
    };
    expect(await readTotals(admin)).toEqual({ workspace: 1 });
    expect(await readTotals(await openSignedInBrowser(server, member))).toEqual({ personal: 2 });
    expect(await readTotals(other)).toEqual({});
  });

  test("counts of several processes add up, and those older than an hour are deleted", async () => {
    let now = Date.parse("2030-01-01T10:00:30Z");
    const counters = [0, 1].map(() => new RequestStatistics(server.db, () => now));
    for (const counter of counters) {
      counter.count("personal:x");
      await counter.list([]);
    }
    expect(await counters[0]?.list(["personal:x"])).toEqual([
      { scope: "personal:x", minute: "2030-01-01T10:00:00.000Z", count: 2 },
    ]);
    now += 3_660_000;
    counters[0]?.count("personal:y");
    await counters[0]?.list([]);
    const left = await server.db.select().from(schema.requestCounts).where(sql`scope like 'personal:_'`);
    expect(left.map(({ scope }) => scope)).toEqual(["personal:y"]);
  });

  test("200: usage has the number of locked summaries, and the credits of six months", async () => {
    const free = await server.given.company({ plan: "free" });
    const person = await openSignedInBrowser(server, free.admin);
    const spoken = "Ten words at least are spoken here, so that it counts.";
    const meetings = Array.from({ length: 12 }, (_, at) => ({
      externalId: `meeting-${at}`,
      title: `Meeting ${at}`,
      startTime: "2026-03-02T10:00:00Z",
      transcript: [{ speakerId: "a", speakerName: "Ada", text: spoken }],
      summary: { markdown: "All is well." },
    }));
    const file = { name: "twelve.json", text: JSON.stringify(meetings), modifiedAt: "2026-03-02T10:00:00Z" };
    expect((await person.write("upload/v1/files.import", file)).body).toMatchObject({
      result: { data: { json: { created: 12, failed: [] } } },
    });
    const usage = readPayload<{ creditsByMonth: { credits: number }[]; lockedSummaries: number }>(
      await person.read("settings/v1/plan.usage"),
    );
    expect(usage.creditsByMonth.map(({ credits }) => credits)).toEqual([0, 0, 0, 0, 0, 10]);
    expect(usage.lockedSummaries).toBe(2);
  });
});
