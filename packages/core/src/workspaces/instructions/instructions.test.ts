import { LIMITS, MESSAGES } from "@minutes/contract";
import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { type Company, createSettingsCalls, type Person } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";

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
const create = async (who: Person, input: object) => {
  const [status, created] = await ask(who, "instructions.create", input);
  expect([status, created]).toEqual([200, created]);
  return created as { id: string };
};
const NONE = { personal: [], team: [], refusal: MESSAGES.noSummarizer };
const PLAIN = { prompt: "", language: null, tag: null, word: null, isDefault: false };

test("200: own instructions and the team's, which members use and admins edit; others see none", async () => {
  const own = {
    list: "personal",
    name: " Sales ",
    prompt: "Objections first.",
    language: "German",
    tag: "sales",
  };
  const sales = await create(anna, own);
  const board = await create(company.admin, { list: "team", name: "Board", isDefault: true });
  const lists = {
    personal: [
      { ...PLAIN, id: sales.id, name: "Sales", prompt: "Objections first.", language: "de", tag: "sales" },
    ],
    team: [{ ...PLAIN, id: board.id, name: "Board", isDefault: true }],
    refusal: MESSAGES.noSummarizer,
  };
  expect(await ask(anna, "instructions.list")).toEqual([200, lists]);
  const colleague = await server.given.member(company);
  expect(await ask(colleague, "instructions.list")).toEqual([200, { ...lists, personal: [] }]);
  const stranger = (await server.given.company()).admin;
  expect(await ask(stranger, "instructions.list")).toEqual([200, NONE]);

  const admins = [403, "Only a workspace admin can do this."];
  const unknown = [404, "No such summary instruction."];
  const [one, other] = [{ instructionId: sales.id }, { instructionId: board.id }];
  expect(await ask(anna, "instructions.create", { list: "team", name: "Mine" })).toEqual(admins);
  expect(await ask(anna, "instructions.update", { ...other, prompt: "x" })).toEqual(admins);
  expect(await ask(anna, "instructions.delete", other)).toEqual(admins);
  expect(await ask(company.admin, "instructions.update", { ...one, prompt: "x" })).toEqual(unknown);
  for (const id of [one, other]) {
    expect(await ask(stranger, "instructions.update", { ...id, prompt: "x" })).toEqual(unknown);
    expect(await ask(stranger, "instructions.delete", id)).toEqual(unknown);
  }
  expect(await ask(anna, "instructions.list")).toEqual([200, lists]);

  const changed = { ...one, language: null, word: "sale" };
  expect((await ask(anna, "instructions.update", changed))[1]).toMatchObject({
    language: null,
    word: "sale",
    tag: "sales",
  });
  expect(await ask(anna, "instructions.delete", one)).toEqual([200, { success: true }]);
  expect(await ask(anna, "instructions.delete", one)).toEqual(unknown);
  expect(await ask(company.admin, "instructions.delete", other)).toEqual([200, { success: true }]);
});

test("200: a list has one default, the last one set; 409: a name twice, a full list", async () => {
  const ben = await server.given.member(company);
  const [first, second] = [
    await create(ben, { list: "personal", name: "First", isDefault: true }),
    await create(ben, { list: "personal", name: "Second", isDefault: true }),
  ];
  const defaults = async () =>
    ((await ask(ben, "instructions.list"))[1] as { personal: { id: string; isDefault: boolean }[] }).personal
      .filter(({ isDefault }) => isDefault)
      .map(({ id }) => id);
  expect(await defaults()).toEqual([second.id]);
  await ask(ben, "instructions.update", { instructionId: first.id, isDefault: true });
  expect(await defaults()).toEqual([first.id]);

  const taken = [409, "The list has another summary instruction with this name."];
  expect(await ask(ben, "instructions.create", { list: "personal", name: "First" })).toEqual(taken);
  expect(await ask(ben, "instructions.update", { instructionId: second.id, name: "First" })).toEqual(taken);
  expect(await defaults()).toEqual([first.id]);

  const rows = Array.from({ length: LIMITS.instructionsPerList - 3 }, (_, at) => ({
    ...{ id: `ins_${at}`, userId: ben.userId, name: `Number ${at}`, prompt: "", isDefault: false },
  }));
  await server.db.insert(schema.summaryInstructions).values(rows);
  await create(ben, { list: "personal", name: "The last" });
  expect(await ask(ben, "instructions.create", { list: "personal", name: "One more" })).toEqual([
    409,
    "A list can have 50 summary instructions. Delete one first.",
  ]);
});

test.each([
  [{ name: "" }, "name must be a text of 1 to 200 characters"],
  [{ name: "two\nlines" }, "name must be one line without control characters"],
  [{ prompt: "x".repeat(2_001) }, "prompt must be a text of 0 to 2,000 characters"],
  [{ language: "Klingon" }, "language must be a language such as German or de"],
  [{ language: "x".repeat(101) }, "language must not be above 100 characters"],
  [{ word: " " }, "word must be a text of 1 to 100 characters"],
  [{ text: "x" }, 'Unknown field: "text".'],
])("400: %j", async (facts, message) => {
  const [status, said] = await ask(anna, "instructions.create", { list: "personal", name: "New", ...facts });
  expect([status, said]).toEqual([400, message]);
  expect(await ask(anna, "instructions.list")).toEqual([200, NONE]);
});

test("the list of a person or workspace is deleted with them", async () => {
  const cleo = await server.given.member(company);
  await create(cleo, { list: "personal", name: "Mine" });
  const isOf = () => server.db.$count(schema.summaryInstructions);
  const before = await isOf();
  await server.db.delete(schema.users).where(sql`id = ${cleo.userId}`);
  expect(await isOf()).toBe(before - 1);
});
