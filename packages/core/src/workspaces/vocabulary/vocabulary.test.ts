import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { type Company, createSettingsCalls, type Person } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let server: TestServer;
let company: Company;
let anna: Person;
beforeAll(async () => {
  server = await startTestServer();
  company = await server.given.company();
  anna = await server.given.member(company);
});
afterAll(() => server.close());

const ask = createSettingsCalls(() => server);
const done = [200, { success: true }];

describe("vocabulary", () => {
  test("200: two lists, which a recorder reads; 403: only admins change the team's", async () => {
    expect(await ask(anna, "vocabulary.add", { list: "personal", term: " Zeta " })).toEqual(done);
    expect(await ask(anna, "vocabulary.add", { list: "personal", term: "Zeta" })).toEqual(done);
    expect(await ask(anna, "vocabulary.add", { list: "personal", term: "Ähre" })).toEqual(done);
    expect(await ask(anna, "vocabulary.add", { list: "team", term: "Mire" })).toEqual([
      403,
      "Only a workspace admin can do this.",
    ]);
    expect(await ask(company.admin, "vocabulary.add", { list: "team", term: "Mire" })).toEqual(done);
    const both = { personal: ["Zeta", "Ähre"], team: ["Mire"] };
    expect(await ask(anna, "vocabulary.list")).toEqual([200, both]);
    const key = await server.given.ingestKey(company);
    const read = await server.call(key, "ingest/vocabulary.get", { ownerEmail: anna.email });
    expect(read.body).toEqual({ result: { data: { json: both } } });
    expect(await ask(anna, "vocabulary.remove", { list: "personal", term: "Zeta" })).toEqual(done);
    expect(await ask(anna, "vocabulary.remove", { list: "personal", term: "Zeta" })).toEqual([
      404,
      "No such term.",
    ]);
    expect((await ask(anna, "vocabulary.add", { list: "personal", term: "x".repeat(101) }))[0]).toBe(400);
    expect((await ask(anna, "vocabulary.add", { list: "personal", term: "x".repeat(100) }))[0]).toBe(200);
  });

  test.each([
    ["pro", 50],
    ["team", 100],
    ["enterprise", 250],
  ] as const)("409: %s has %i terms per list", async (plan, allowed) => {
    const theirs = await server.given.company({ plan });
    const terms = Array.from({ length: allowed - 1 }, (_, term) => ({
      id: `trm_${plan}_${term}`,
      workspaceId: theirs.workspaceId,
      term: `Term ${term}`,
    }));
    await server.db.insert(schema.vocabularyTerms).values(terms);
    expect(await ask(theirs.admin, "vocabulary.add", { list: "team", term: "The last" })).toEqual(done);
    expect(await ask(theirs.admin, "vocabulary.add", { list: "team", term: "One more" })).toEqual([
      409,
      "The list is full. Remove a term first, or choose a plan that allows more.",
    ]);
    expect(await ask(theirs.admin, "vocabulary.add", { list: "personal", term: "Own" })).toEqual(done);
  });
});
