import { type OwnTag, type RetentionRule, ruledTag } from "@minutes/contract";
import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { type Company, createSettingsCalls, type Person } from "@minutes/testing";
import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createRetentionCalls, daysAgo } from "./testing/calls.js";

let server: TestServer;
let given: TestServer["given"];
let company: Company;
let anna: Person;
beforeAll(async () => {
  server = await startTestServer();
  given = server.given;
});
afterAll(() => server.close());
beforeEach(async () => {
  await server.db.delete(schema.retentionRules);
  company = await given.company();
  anna = await given.member(company);
});

const { ask, old, set, preview } = createRetentionCalls(() => ({ server, company }));

describe("rules", () => {
  test("200: set, listed, changed, deleted, recorded; one per tag", async () => {
    const all = await set(365);
    const tagged = await set(30, "  Interviews ");
    expect(await set(400)).toMatchObject({ id: all.id, days: 400, tag: null });
    const [, list] = await ask(company.admin, "list");
    expect(list).toMatchObject({
      rules: [
        { id: all.id, days: 400 },
        { id: tagged.id, tag: "Interviews" },
      ],
    });
    expect(await ask(company.admin, "delete", { ruleId: tagged.id })).toEqual([200, { success: true }]);
    expect(await ask(company.admin, "delete", { ruleId: tagged.id })).toEqual([
      404,
      "No such retention rule.",
    ]);
    expect((await ask(company.admin, "list"))[1]).toMatchObject({ rules: [{ id: all.id }] });
    const entries = await server.db
      .select({ action: schema.auditLog.action, object: schema.auditLog.object })
      .from(schema.auditLog)
      .where(and(eq(schema.auditLog.workspaceId, company.workspaceId), sql`action like 'retention.%'`))
      .orderBy(schema.auditLog.id);
    expect(entries).toEqual([
      { action: "retention.set.365", object: all.id },
      { action: "retention.set.30", object: tagged.id },
      { action: "retention.set.400", object: all.id },
      { action: "retention.delete", object: tagged.id },
    ]);
  });

  test("403 and 404: members, and admins of other workspaces", async () => {
    const rule = await set(30);
    const onlyAdmins = [403, "Only a workspace admin can do this."];
    expect(await ask(anna, "list")).toEqual(onlyAdmins);
    expect(await ask(anna, "set", { days: 1 })).toEqual(onlyAdmins);
    expect(await ask(anna, "preview", {})).toEqual(onlyAdmins);
    const other = await given.company();
    for (const who of [anna, other.admin])
      expect(await ask(who, "delete", { ruleId: rule.id })).toEqual([404, "No such retention rule."]);
    expect(await ask(other.admin, "list")).toEqual([200, { rules: [] }]);
  });

  test("400: days out of range; 409: more than 50 rules", async () => {
    for (const days of [0, -1, 1.5, 36_501]) expect((await ask(company.admin, "set", { days }))[0]).toBe(400);
    await server.db.execute(sql`insert into retention_rules (id, workspace_id, tag, days, next_run_at)
      select 'ret_' || n || ${company.workspaceId}, ${company.workspaceId}, 'Tag ' || n, 10, now()
      from generate_series(1, 50) n`);
    expect(await ask(company.admin, "set", { days: 10, tag: "One more" })).toEqual([
      409,
      "A workspace can have 50 retention rules. Delete one first.",
    ]);
    expect((await ask(company.admin, "set", { days: 11, tag: "Tag 1" }))[0]).toBe(200);
  });

  test("200: a preview counts what a rule would delete, says nothing about meetings, and changes nothing", async () => {
    const secret = "Canary-7f3a";
    await given.meeting(anna, { title: secret, startTime: daysAgo(40) });
    await old(anna, 40, "Brief");
    await set(100);
    const before = await server.db.select().from(schema.retentionRules);
    expect(await preview()).toMatchObject({ meetings: 0, held: 0, nextRunAt: before[0]?.nextRunAt });
    const [, all] = await ask(company.admin, "preview", { days: 30 });
    expect(all).toMatchObject({ meetings: 2, held: 0 });
    expect(JSON.stringify(all)).not.toContain(secret);
    expect(await preview({ days: 30, tag: "Brief" })).toMatchObject({ meetings: 1, unusedTags: [] });
    const others = await given.person();
    await given.meeting(others, { tags: [{ name: "Unknown" }] });
    expect(await preview({ days: 30, tag: "Unknown" })).toMatchObject({
      meetings: 0,
      unusedTags: ["Unknown"],
    });
    expect(await server.db.select().from(schema.retentionRules)).toEqual(before);
    expect(await server.db.$count(schema.meetings, eq(schema.meetings.userId, anna.userId))).toBe(2);
  });

  test("409: a tag of meetings is neither renamed nor deleted while a rule has the old name or the new one", async () => {
    const refused = [409, ruledTag(1)];
    const askTags = createSettingsCalls(() => server);
    const { meetingId } = await old(anna, 40, "Contracts");
    const tagId = async (name: string) => {
      const [, list] = await askTags(anna, "tags.list", {});
      return (list as { tags: OwnTag[] }).tags.find((tag) => tag.name === name)?.id ?? "";
    };
    const contracts = await tagId("Contracts");
    await askTags(anna, "tags.create", { name: "Unused" });
    const rules = [await set(365, "Contracts"), await set(10, "Drafts"), await set(10, "Unused")];
    for (const name of ["Other", "Drafts"])
      expect(await askTags(anna, "tags.update", { tagId: contracts, name })).toEqual(refused);
    expect(await askTags(anna, "tags.delete", { tagId: contracts })).toEqual(refused);
    expect(await tagId("Contracts")).toBe(contracts);
    await ask(company.admin, "delete", { ruleId: rules[0]?.id });
    expect(await askTags(anna, "tags.update", { tagId: contracts, name: "Drafts" })).toEqual(refused);
    const done = [200, { success: true }];
    expect(await askTags(anna, "tags.update", { tagId: contracts, name: "Other" })).toEqual(done);
    expect(await askTags(anna, "tags.delete", { tagId: contracts })).toEqual(done);
    // No meeting has it.
    expect(await askTags(anna, "tags.delete", { tagId: await tagId("Unused") })).toEqual(done);
    expect(await server.db.$count(schema.meetings, eq(schema.meetings.id, meetingId))).toBe(1);
  });

  test("200: the resources of a signed-in user", async () => {
    const rest = async (method: string, path: string, body?: object) => {
      const response = await fetch(`${server.url}/rest/v1/retention${path}`, {
        method,
        headers: {
          authorization: `Bearer ${await given.session(company.admin)}`,
          "content-type": "application/json",
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return [response.status, await response.json()] as const;
    };
    const { meetingId } = await old(anna, 40);
    const [status, rule] = await rest("PUT", "/rules", { days: 90 });
    expect([status, rule]).toEqual([200, expect.objectContaining({ days: 90, tag: null })]);
    expect(await rest("GET", "/preview?days=30")).toEqual([200, expect.objectContaining({ meetings: 1 })]);
    expect((await rest("PUT", `/holds/${meetingId}`, {}))[0]).toBe(200);
    expect(await rest("GET", `/holds/${meetingId}`)).toEqual([200, { held: true, mayRelease: true }]);
    expect((await rest("DELETE", `/holds/${meetingId}`))[0]).toBe(200);
    expect((await rest("DELETE", `/rules/${(rule as RetentionRule).id}`))[0]).toBe(200);
    expect(await rest("GET", "/rules")).toEqual([200, { rules: [] }]);
  });
});
