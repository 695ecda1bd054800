import { type TestServer, useColleagues } from "@minutes/server/testing";
import { type Company, createSettingsCalls, type Person } from "@minutes/testing";
import { describe, expect, test } from "vitest";

let server: TestServer;
let company: Company;
let anna: Person;
let boris: Person;
useColleagues((colleagues) => {
  ({ server, company, anna, boris } = colleagues);
});

const ask = createSettingsCalls(() => server);
const done = [200, { success: true }];

describe("plan and keys", () => {
  test("200: plan, limits and usage", async () => {
    expect(await ask(anna, "plan.get")).toEqual([
      200,
      { plan: "team", limits: expect.objectContaining({ creditsPerMonth: null }), creditsUsed: 0 },
    ]);
  });

  test("200: creates a read-only key with an expiry; 400: one that expires in the past, or an ingest key", async () => {
    const terms = { access: "read", expiresAt: "2099-12-31" };
    const [status, made] = await ask(anna, "keys.create", { kind: "personal", name: "Agent", ...terms });
    expect(status).toBe(200);
    const { id, key } = made as { id: string; key: string };
    const [, { personal }] = (await ask(anna, "keys.list")) as [number, { personal: { id: string }[] }];
    const listed = { access: "read", expiresAt: "2099-12-31T23:59:59.999Z" };
    expect(personal.find((one) => one.id === id)).toMatchObject(listed);
    expect(personal.find((one) => one.id === anna.keyId)).toMatchObject({ access: "full", expiresAt: null });
    expect((await server.call(key, "me/tasks.update", { taskId: "x", completed: true })).status).toBe(403);
    for (const [refused, sentence] of [
      [{ kind: "personal", expiresAt: "2020-01-01" }, "expiresAt must be in the future."],
      [{ kind: "personal", expiresAt: "soon" }, expect.stringContaining("expiresAt")],
      [{ kind: "personal", access: "write" }, expect.stringContaining("access")],
      [{ kind: "ingest", access: "read" }, "kind: an ingest key takes neither access nor expiresAt"],
    ] as const)
      expect(await ask(company.admin, "keys.create", { name: "No", ...refused })).toEqual([400, sentence]);
    expect(await ask(anna, "keys.revoke", { keyId: id })).toEqual(done);
  });

  test("200: creates, lists and revokes keys; 403: only admins manage a workspace's keys", async () => {
    const [status, made] = await ask(boris, "keys.create", { kind: "personal", name: "Laptop" });
    expect(status).toBe(200);
    const { id, key } = made as { id: string; key: string };
    expect((await server.call(key, "me/meetings.list")).status).toBe(200);
    const [, list] = await ask(boris, "keys.list");
    expect(JSON.stringify(list)).toContain(id);
    expect(JSON.stringify(list)).not.toContain(key);
    expect(await ask(anna, "keys.revoke", { keyId: id })).toEqual([
      403,
      "Only its owner can manage this key.",
    ]);
    expect(await ask(boris, "keys.revoke", { keyId: id })).toEqual(done);
    expect((await server.call(key, "me/meetings.list")).status).toBe(401);

    expect((await ask(boris, "keys.create", { kind: "ingest", name: "Recorder" }))[0]).toBe(403);
    expect((await ask(boris, "keys.listWorkspace"))[0]).toBe(403);
    const [, ingest] = await ask(company.admin, "keys.create", { kind: "ingest", name: "Recorder" });
    const recorder = ingest as { id: string; key: string };
    expect(recorder.key).toMatch(/^ik_/);
    const read = () => server.call(recorder.key, "ingest/vocabulary.get", { ownerEmail: anna.email });
    expect((await read()).status).toBe(200);
    for (const action of ["get", "disable", "enable", "revoke"])
      expect((await ask(boris, `keys.${action}`, { keyId: recorder.id }))[0]).toBe(403);
    expect(await ask(company.admin, "keys.disable", { keyId: recorder.id })).toEqual(done);
    const { status: refused, body } = await read();
    expect([refused, body]).toEqual([401, { error: "Invalid API key" }]);
    const [, listed] = await ask(company.admin, "keys.listWorkspace");
    expect((listed as { ingest: object[] }).ingest).toContainEqual(
      expect.objectContaining({ id: recorder.id, disabledAt: expect.any(String) }),
    );
    expect(await ask(company.admin, "keys.enable", { keyId: recorder.id })).toEqual(done);
    expect((await read()).status).toBe(200);
    expect(await ask(company.admin, "keys.revoke", { keyId: recorder.id })).toEqual(done);
    expect(await ask(company.admin, "keys.enable", { keyId: recorder.id })).toEqual([
      409,
      "This key is revoked. Create a new one.",
    ]);
    expect((await read()).status).toBe(401);
  });
});
