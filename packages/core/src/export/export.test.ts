import { ExportRecord } from "@minutes/contract";
import { schema } from "@minutes/db";
import {
  asUser,
  type Company,
  createPersonalKey,
  createWorkspaceKey,
  type Meeting,
  openTestApi,
  type Person,
  type TestApi,
} from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createInstruction, listInstructions } from "../workspaces/instructions/index.js";
import { addTerm, listVocabulary } from "../workspaces/vocabulary/index.js";
import { exportMeeting, exportNonMeetings } from "./export.js";
import { restoreRecord } from "./restore.js";

let from: TestApi;
let to: TestApi;
let company: Company;
let anna: Person;
let boris: Person;
let locked: Meeting;
/** What an instruction for summaries says. */
const facts = { prompt: "Short.", language: "de", tag: "Sales", word: "sale", isDefault: true };
beforeAll(async () => {
  from = await openTestApi();
  to = await openTestApi();
  const { given } = from;
  company = await given.company();
  anna = await given.member(company);
  boris = await given.member(company);
  const rich = await given.richMeeting(anna);
  await given.shared(rich, boris);
  const transcript = [{ speakerId: "s", speakerName: "Eve", text: "Turbines **turn**.\n\nAgain." }];
  await given.meetingSharedByTag(boris, anna, { tag: "Zeta", transcript });
  await given.meeting(boris, {
    transcript,
    summary: { markdown: "# A\n\n- b" },
    endTime: "2040-01-01T00:00:00Z",
  });
  locked = await given.richMeeting(anna, { title: "Locked" });
  await from.db.update(schema.summaries).set({ locked: true });
  const gone = await given.meeting(anna);
  await from.data(anna.key, "me/meetings.delete", { meetingId: gone.meetingId });
  await addTerm(from.db, asUser(anna.userId), { list: "personal", term: "Aehrenglück" });
  await addTerm(from.db, asUser(company.admin.userId), { list: "team", term: "Mirefield" });
  for (const [who, list] of [
    [anna, "personal"],
    [company.admin, "team"],
  ] as const)
    await createInstruction(from.db, asUser(who.userId), { list, name: `In ${list}`, ...facts });
});
afterAll(async () => {
  await from.close();
  await to.close();
});

/** Returns the lines of an export file. */
async function linesOf(api: TestApi, scope: Parameters<typeof exportNonMeetings>[1]): Promise<string[]> {
  const { records, meetingIds } = await exportNonMeetings(api.db, scope);
  const meetings = [];
  for (const meetingId of meetingIds) meetings.push((await exportMeeting(api.db, meetingId)).record);
  return [...records, ...meetings].map((record) => JSON.stringify(record));
}
/** Imports lines; returns the number of new meetings. */
const restore = async (api: TestApi, lines: readonly string[]): Promise<number> => {
  let created = 0;
  for (const line of lines) if (await restoreRecord(api.db, ExportRecord.parse(JSON.parse(line)))) created++;
  return created;
};

/** Calls every route as a person and as a workspace. */
async function answers(api: TestApi, keys: Record<string, string>, workspaceKey: string) {
  const all: Record<string, unknown> = {};
  const range = { startDate: "2000-01-01" };
  for (const [name, key] of Object.entries(keys)) {
    const list = await api.data(key, "me/meetings.list", { limit: 100 });
    all[`${name} meetings`] = list;
    all[`${name} tasks`] = await api.data(key, "me/tasks.list", { limit: 100 });
    all[`${name} tags`] = await api.data(key, "me/tags.list");
    all[`${name} search`] = await api.data(key, "me/meetings.search", { query: "turbines", ...range });
    for (const { id } of list.meetings) {
      all[`${name} ${id}`] = await api.data(key, "me/meetings.get", { meetingId: id });
    }
  }
  all.workspace = [
    await api.data(workspaceKey, "workspace/meetings.list", { limit: 100 }),
    await api.data(workspaceKey, "workspace/tasks.list", { limit: 100 }),
  ];
  return all;
}

describe("an export imported into an empty database", () => {
  test("gives the same answers on every route, and can be imported again", async () => {
    const lines = await linesOf(from, { workspaceId: company.workspaceId });
    const meetings = lines.filter((line) => JSON.parse(line).kind === "meeting");
    expect([await restore(to, lines), await restore(to, lines)]).toEqual([meetings.length, 0]);
    const keys = { anna: anna.key, boris: boris.key };
    const again = {
      anna: (await createPersonalKey(to.db, anna.userId, "restored")).key,
      boris: (await createPersonalKey(to.db, boris.userId, "restored")).key,
    };
    const { key: workspaceKey } = await createWorkspaceKey(to.db, company.admin.userId, "restored");
    const before = await answers(from, keys, company.key);
    expect(Object.keys(before).length).toBeGreaterThan(12);
    expect(await answers(to, again, workspaceKey)).toEqual(before);
    const place = { userId: anna.userId, workspaceId: company.workspaceId };
    expect(await listVocabulary(to.db, place)).toEqual(await listVocabulary(from.db, place));
    expect((await listInstructions(to.db, place)).personal).toMatchObject([
      { name: "In personal", ...facts },
    ]);
    expect((await listInstructions(to.db, place)).team).toMatchObject([{ name: "In team", ...facts }]);
    expect(await linesOf(to, { workspaceId: company.workspaceId })).toEqual(lines);
  });

  test("409: a database with other users", async () => {
    const [head = ""] = await linesOf(from, { userId: anna.userId });
    const other = await openTestApi();
    await other.given.person();
    await expect(restore(other, [head])).rejects.toMatchObject({
      message: "An export can be imported only into an empty database, and this one has other users.",
    });
    await other.close();
  });

  test("of one user contains no other user's data, and never a locked summary", async () => {
    const lines = await linesOf(from, { userId: anna.userId });
    const kinds = lines.map((line) => JSON.parse(line).kind);
    expect(kinds.filter((kind) => kind === "user")).toHaveLength(1);
    expect(lines.join()).not.toContain(boris.email);
    const { record } = await exportMeeting(from.db, locked.meetingId);
    expect(record.summary).toBeNull();
  });
});

test("400: an id that contains a path is refused", async () => {
  const [line] = (await linesOf(from, { userId: anna.userId })).filter((one) =>
    one.includes('"kind":"meeting"'),
  );
  const record = JSON.parse(line ?? "");
  expect(ExportRecord.safeParse(record).success).toBe(true);
  for (const id of ["../../../x", "mtg_/../../x", "mtg_a\\b", "", "mtg_a\0"])
    expect(ExportRecord.safeParse({ ...record, id }).success).toBe(false);
});
