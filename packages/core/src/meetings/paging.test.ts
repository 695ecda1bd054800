import { type Company, insertMeetings, openTestApi, type Person, type TestApi } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let api: TestApi;
let company: Company;
let anna: Person;
let ben: Person;
const COUNT = 1_000;
beforeAll(async () => {
  api = await openTestApi();
  company = await api.given.company();
  anna = await api.given.member(company);
  ben = await api.given.member(company);
  // 29 per start time, so hardly a page of 25 ends with a complete group.
  await insertMeetings(api.db, anna, { count: COUNT, sameStart: 29, prefix: "old_" });
});
afterAll(() => api.close());

/** Fetches all pages; `between` runs before each further page. */
async function pages(
  key: string,
  route: "me/meetings.list" | "workspace/meetings.list",
  input: object,
  between: (page: number) => Promise<void>,
): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  let page = 0;
  do {
    const answer: { meetings: { id: string }[]; nextCursor: string | null } = await api.data(key, route, {
      ...input,
      ...(cursor === null ? {} : { cursor }),
    });
    ids.push(...answer.meetings.map((meeting) => meeting.id));
    cursor = answer.nextCursor;
    await between(++page);
  } while (cursor !== null);
  return ids;
}

describe("paging over 1,000 meetings, many with equal starts, while others are added", () => {
  test.each([
    ["me/meetings.list", () => anna.key],
    ["workspace/meetings.list", () => company.key],
  ] as const)("%s: nothing is skipped, nothing repeated", async (route, key) => {
    const prefix = `new_${route.slice(0, 2)}_`;
    const seen = await pages(key(), route, { limit: 25 }, async (page) => {
      // Before, inside and after the group of equal starts in which the page ended.
      if (page % 10 === 0)
        await insertMeetings(api.db, anna, {
          count: 30,
          sameStart: 1,
          firstStart: `2025-01-01T0${page % 3}:00:00.000Z`,
          prefix: `${prefix}${page}_`,
        });
    });
    const old = seen.filter((id) => id.startsWith("old_"));
    expect(old).toHaveLength(COUNT);
    expect(new Set(seen).size).toBe(seen.length);
  });
});

test("paging over meetings from three sources repeats and skips none", async () => {
  await api.db.execute(sql`insert into meeting_shares (user_id, meeting_id, owner_id, workspace_id, start_time)
    select ${ben.userId}, id, user_id, workspace_id, start_time from meetings where id like 'old_%' and md5(id) < '4'`);
  await api.db.execute(sql`insert into tags (id, user_id, name, color)
    select 'tag_' || i, ${anna.userId}, 'tag ' || i, '#000000' from generate_series(1, 3) i`);
  await api.db.execute(sql`insert into meeting_tags (tag_id, meeting_id, owner_id, start_time)
    select 'tag_' || i, id, user_id, start_time from meetings, generate_series(1, 3) i
    where id like 'old_%' and substr(md5(id || i), 1, 1) < '3'`);
  for (const tag of [1, 2, 3]) await api.given.tagShared(`tag_${tag}`, ben);
  await insertMeetings(api.db, ben, { count: 100, sameStart: 13, prefix: "bens_" });
  const seen = await pages(ben.key, "me/meetings.list", { limit: 23 }, async () => {});
  const [expected] = await api.db
    .select({ count: sql<number>`count(*)::int` })
    .from(sql`meetings m where user_id = ${ben.userId}
      or exists (select from meeting_shares s where s.meeting_id = m.id and s.user_id = ${ben.userId})
      or exists (select from meeting_tags t where t.meeting_id = m.id)`);
  expect(seen).toHaveLength(expected?.count ?? 0);
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.length).toBeGreaterThan(400);
});

test("meetings of a member who joins with more than a page of them are listed immediately, and no longer once the member leaves", async () => {
  const cleo = await api.given.person();
  await insertMeetings(api.db, cleo, { count: 120, firstStart: "2030-01-01T00:00:00.000Z" });
  const newest = async (route: "workspace/meetings.list", input: object = {}) =>
    (await api.data(company.key, route, { limit: 100, ...input })).meetings.filter(
      (meeting) => meeting.userId === cleo.userId,
    ).length;
  expect(await newest("workspace/meetings.list")).toBe(0);
  await api.given.joins(cleo, company);
  expect(await newest("workspace/meetings.list")).toBe(100);
  expect(await newest("workspace/meetings.list", { userEmail: cleo.email })).toBe(100);
  await api.given.leaves(cleo);
  expect(await newest("workspace/meetings.list")).toBe(0);
  expect((await api.data(cleo.key, "me/meetings.list", { limit: 100 })).meetings).toHaveLength(100);
});
