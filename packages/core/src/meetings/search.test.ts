import { schema } from "@minutes/db";
import { countOutdated, explainRanking, reindexSome } from "@minutes/search";
import { openTestApi, type Person, type TestApi } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../access/actor.js";
import { visibleTo } from "../access/index.js";
import { toSearchScope } from "./search.js";
import { unshareMeeting, unshareTag } from "./sharing/index.js";
import { deleteTag, untagMeeting } from "./tags/index.js";

let api: TestApi;
let given: TestApi["given"];
beforeAll(async () => {
  api = await openTestApi();
  given = api.given;
});
afterAll(() => api.close());

const said = (text: string) => [{ speakerId: "s1", speakerName: "Anna", text }];
const search = async (who: Person, query: string, range: object = {}) =>
  (await api.data(who.key, "me/meetings.search", { query, ...range })).results;

/** Returns the same day some months ago, or the 28th if it is later, plus days. */
function monthsAgo(months: number, days = 0): string {
  const date = new Date();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() - months);
  date.setUTCDate(Math.min(new Date().getUTCDate(), 28) + days);
  return date.toISOString();
}

test("200: a chunk with its meeting and the meeting's UTC day", async () => {
  const anna = await given.person();
  const meeting = await given.meeting(anna, {
    title: "Zoo council",
    startTime: "2025-03-31T23:30:00-02:00",
    transcript: said("The wombat enclosure needs a fence."),
  });
  expect(await search(anna, "fence", { startDate: "2025-01-01" })).toEqual([
    {
      id: `${meeting.meetingId}-chunk-0`,
      text: "Anna: The wombat enclosure needs a fence.",
      meetingId: meeting.meetingId,
      meetingTitle: "Zoo council",
      meetingDate: "2025-04-01",
    },
  ]);
});

test("200: words are found with and without their accents", async () => {
  const anna = await given.person();
  await given.meeting(anna, { transcript: said("Pádraig shows Seán the smörgåsbord in Wrocław.") });
  for (const query of ["Padraig", "pádraig", "SEAN", "smorgasbord", "Pa\u0301draig"])
    expect(await search(anna, query), query).toHaveLength(1);
});

test("200: meetings indexed by an older version are found as before and after they are reindexed", async () => {
  const anna = await given.person();
  const turns = Array.from({ length: 1_001 }, (_, at) => said(`Then came point ${at}.`)).flat();
  const long = await given.meeting(anna, { transcript: [...turns, ...said("The quokka is last.")] });
  const accented = await given.meeting(anna, {
    transcript: [{ speakerId: "s1", speakerName: "Pádraig", text: "Then the wombat fence was painted." }],
  });
  const rank = async (query: string) => {
    const { chunks } = await explainRanking(api.db, toSearchScope(visibleTo(anna)), { query });
    return chunks.map(({ meetingId, score }) => ({ meetingId, score }))[0];
  };
  const rankBoth = async () => [
    await rank("quokka"),
    await rank("What did Pádraig say about the wombat fence?"),
  ];
  const ranked = await rankBoth();
  expect(ranked.map((best) => best?.meetingId)).toEqual([long.meetingId, accented.meetingId]);
  const same = ranked.map((best) => ({ ...best, score: expect.closeTo(best?.score ?? 0, 3) }));
  const others = await countOutdated(api.db);
  // Version 3 kept the accents of names.
  const documents = sql`select document from search_documents where meeting_id = any (${`{${long.meetingId},${accented.meetingId}}`})`;
  await api.db.execute(sql`update search_speakers set name = '{pádraig}'
    where name = '{padraig}' and document in (${documents})`);
  await api.db.execute(sql`update search_documents set version = 3 where document in (${documents})`);
  expect(await countOutdated(api.db)).toBe(others + 2);
  expect(await rankBoth()).toEqual(same);
  await reindexSome(api.db, others + 2);
  expect(await countOutdated(api.db)).toBe(0);
  expect(await rankBoth()).toEqual(same);
});

test("200: copies of a meeting are ordered by ID", async () => {
  const anna = await given.person();
  const transcript = Array.from({ length: 60 }, (_, at) =>
    said(
      `The ${at % 7 ? "quokka" : "wombat"} crossed field ${at % 5} before the keeper's gate number ${at} shut.`,
    ),
  ).flat();
  const startTime = new Date(Date.now() - 60_000).toISOString();
  for (let copy = 0; copy < 8; copy++) await given.meeting(anna, { title: "Zoo", startTime, transcript });
  const results = await search(anna, "which keeper shut the gate after a quokka or wombat crossed a field");
  const texts = new Set(results.map(({ text }) => text));
  expect(texts.size).toBeGreaterThan(1);
  for (const text of texts) {
    const ids = results.filter((result) => result.text === text).map(({ meetingId }) => meetingId);
    expect(ids).toEqual(ids.toSorted());
  }
});

test("200: at most 40, the most relevant first", async () => {
  const anna = await given.person();
  for (let at = 0; at < 45; at++)
    await given.meeting(anna, { transcript: said("One quokka among many other animals of the field.") });
  const best = await given.meeting(anna, { title: "Quokka", transcript: said("Quokka, quokka and quokka.") });
  const results = await search(anna, "quokka");
  expect(results).toHaveLength(40);
  expect(results[0]?.meetingId).toBe(best.meetingId);
  expect(new Set(results.map((result) => result.id)).size).toBe(40);
});

describe("time range", () => {
  test("200: without dates the last six months; with one date, only that bound; also of shared meetings", async () => {
    const company = await given.company();
    const [anna, boris] = [await given.member(company), await given.member(company)];
    const give = (startTime: string) =>
      given.meetingSharedDirectly(anna, boris, { transcript: said("An echidna."), startTime });
    const recent = await give(monthsAgo(6, 5));
    const older = await give(monthsAgo(6, -3));
    const oldest = await give("2020-02-02T00:00:00Z");
    for (const who of [anna, boris]) {
      const ids = async (range: object) =>
        (await search(who, "echidna", range)).map((chunk) => chunk.meetingId).sort();
      expect(await ids({})).toEqual([recent.meetingId]);
      expect(await ids({ startDate: "2020-01-01" })).toEqual(
        [recent, older, oldest].map((meeting) => meeting.meetingId).sort(),
      );
      expect(await ids({ endDate: "2020-02-02" })).toEqual([oldest.meetingId]);
      expect(await ids({ startDate: "2020-02-03", endDate: "2020-02-02" })).toEqual([]);
    }
  });

  test("400: bad dates", async () => {
    const anna = await given.person();
    const answer = await api.call(anna.key, "me/meetings.search", { query: "x", startDate: "2025-02-30" });
    expect([answer.status, answer.body]).toEqual([400, { error: "Invalid startDate format" }]);
  });
});

describe("query", () => {
  test("200: of more than 40 different words, the longest are searched", async () => {
    const anna = await given.person();
    await given.meeting(anna, { transcript: said("The cat sat.") });
    const others = Array.from({ length: 40 }, (_, n) => `w${n}longer`);
    expect(await search(anna, [...others.slice(1), "cat"].join(" "))).toHaveLength(1);
    expect(await search(anna, [...others, "cat"].join(" "))).toEqual([]);
    expect(await search(anna, [...others, ...others, "sat", "the", "said", "cat"].join(" "))).toEqual([]);
  });

  test.each([undefined, "", "  ", "x".repeat(1_001), 5, null])("400: %j", async (query) => {
    const anna = await given.person();
    const answer = await api.call(anna.key, "me/meetings.search", { query });
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: "query must be a string of 1 to 1,000 characters after trimming." },
    ]);
  });

  test("200: a thousand characters, even with surrounding spaces", async () => {
    const anna = await given.person();
    expect(await search(anna, ` ${"x".repeat(1_000)} `)).toEqual([]);
  });

  test("200: any of its words matches, in any form of the word; unknown ones match nothing", async () => {
    const anna = await given.person();
    await given.meeting(anna, { transcript: said("We fenced the platypus.") });
    expect(await search(anna, "platypuses swimming")).toHaveLength(1);
    expect(await search(anna, "zzzunknown")).toEqual([]);
  });

  test('200: words of the question count more than words of the occasion ("when discussing …")', async () => {
    const anna = await given.person();
    for (const animal of ["wombat", "quokka"])
      await given.meeting(anna, { transcript: said(`The ${animal}.`) });
    const first = async (query: string) => (await search(anna, query))[0]?.text;
    expect(await first("who fed the wombat when the quokka slept")).toBe("Anna: The wombat.");
    expect(await first("who fed the quokka while the wombat slept")).toBe("Anna: The quokka.");
  });

  test("400: any list parameter", async () => {
    const anna = await given.person();
    expect((await api.call(anna.key, "me/meetings.search", { query: "x", limit: 5 })).status).toBe(400);
  });
});

describe("results disappear immediately", () => {
  const text = { transcript: said("A pangolin.") };
  const pair = async () => {
    const company = await given.company();
    return [await given.member(company), await given.member(company)] as const;
  };
  const finds = async (who: Person) => (await search(who, "pangolin")).length;

  test("with a share, a tag on a meeting, a tag's share, and a tag", async () => {
    const [anna, ben] = await pair();
    const direct = await given.meetingSharedDirectly(anna, ben, text);
    const tagged = await given.meetingSharedByTag(anna, ben, text);
    const byTag = await given.meetingSharedByTag(anna, ben, text);
    const deleted = await given.meetingSharedByTag(anna, ben, text);
    expect(await finds(ben)).toBe(4);
    await unshareMeeting(api.db, OPERATOR, direct.meetingId, ben.userId);
    expect(await finds(ben)).toBe(3);
    await untagMeeting(api.db, OPERATOR, tagged.meetingId, tagged.tagId);
    expect(await finds(ben)).toBe(2);
    await unshareTag(api.db, OPERATOR, byTag.tagId, ben.userId);
    expect(await finds(ben)).toBe(1);
    await deleteTag(api.db, OPERATOR, deleted.tagId);
    expect([await finds(ben), await finds(anna)]).toEqual([0, 4]);
  });

  test("with the meeting, and with its owner or its reader when one leaves the workspace", async () => {
    const [anna, ben] = await pair();
    const meeting = await given.meetingSharedDirectly(anna, ben, text);
    await given.meetingSharedByTag(anna, ben, text);
    await given.meetingSharedDirectly(ben, anna, text);
    expect([await finds(anna), await finds(ben)]).toEqual([3, 3]);
    await api.data(anna.key, "me/meetings.delete", { meetingId: meeting.meetingId });
    expect([await finds(anna), await finds(ben)]).toEqual([2, 2]);
    await given.leaves(anna);
    expect([await finds(anna), await finds(ben)]).toEqual([1, 1]);
  });
});

test("200: no deleted meetings, no meetings of others, and no locked summaries", async () => {
  const company = await given.company();
  const [anna, ben] = [await given.member(company), await given.member(company)];
  const meeting = await given.meeting(anna, {
    transcript: said("A numbat."),
    summary: { markdown: "Secret bandicoot" },
  });
  await api.db
    .update(schema.summaries)
    .set({ locked: true })
    .where(eq(schema.summaries.meetingId, meeting.meetingId));
  expect(await search(anna, "numbat")).toHaveLength(1);
  expect(await search(anna, "bandicoot")).toEqual([]);
  expect(await search(ben, "numbat")).toEqual([]);
  await api.data(anna.key, "me/meetings.delete", { meetingId: meeting.meetingId });
  expect(await search(anna, "numbat")).toEqual([]);
});

test("200: others' meetings change neither results nor their order, so they tell nothing about others' words", async () => {
  const anna = await given.person();
  const meet = (who: Person, word: string) =>
    given.meeting(who, { transcript: said(`The ${word} is in its place.`) });
  const [common, rare] = [await meet(anna, "wombat"), await meet(anna, "quokka")];
  await meet(anna, "wombat");
  const query = "wombat quokka";
  const before = await search(anna, query);
  expect(before.map(({ meetingId }) => meetingId)[0]).toBe(rare.meetingId);
  const stranger = await given.person();
  // Were rarity that of all tenants' meetings, the other word would now be the rare one.
  for (let nth = 0; nth < 8; nth++) await meet(stranger, "quokka");
  expect(await search(anna, query)).toEqual(before);
  expect(before.map(({ meetingId }) => meetingId)).toContain(common.meetingId);
});

test("200: the first twenty hours of a meeting of thirty hours are found", async () => {
  const anna = await given.person();
  const hour = (word: string) => ({
    speakerId: "s1",
    speakerName: "Anna",
    text: `${word} ${"so ".repeat(9_999)}`,
  });
  await given.meeting(anna, {
    transcript: [hour("wombat"), ...Array.from({ length: 28 }, () => hour("then")), hour("quokka")],
  });
  expect((await search(anna, "wombat")).length).toBeGreaterThan(0);
  expect(await search(anna, "quokka")).toEqual([]);
});

describe("other words", () => {
  test("200: a synonym matches, and the query's own word ranks first", async () => {
    const anna = await given.person();
    await given.meeting(anna, { title: "Two", transcript: said("The candidate is called Ben.") });
    await given.meeting(anna, { title: "One", transcript: said("The nominee is called Ben.") });
    await given.meeting(anna, { title: "Zoo", transcript: said("The wombat needs a fence.") });
    expect((await search(anna, "nominee")).map(({ meetingTitle }) => meetingTitle)).toEqual(["One", "Two"]);
  });

  test("200: many expansions of one word count no more than the best of them", async () => {
    const anna = await given.person();
    const filler = "Then there was more to tell about the weather of the day.";
    await given.meeting(anna, { title: "Both", transcript: said(`The fund has its plan. ${filler}`) });
    await given.meeting(anna, { title: "Asked", transcript: said(`The budget has no name. ${filler}`) });
    expect((await search(anna, "budget"))[0]?.meetingTitle).toBe("Asked");
  });
});

describe("with a model", () => {
  /** Stores copies of a meeting and its index for the same person. */
  async function copyMeeting(meetingId: string, copies: number): Promise<void> {
    const { db } = api;
    await db.execute(sql`insert into recordings (id, workspace_id, state)
      select m.id || n, m.workspace_id, 'completed' from meetings m, generate_series(1, ${copies}::int) n where m.id = ${meetingId}`);
    await db.execute(sql`insert into meetings (id, user_id, workspace_id, title, start_time)
      select m.id || n, m.user_id, m.workspace_id, m.title, m.start_time from meetings m, generate_series(1, ${copies}::int) n
      where m.id = ${meetingId}`);
    await db.execute(sql`insert into search_documents (meeting_id, chunks, language, version)
      select d.meeting_id || n, d.chunks, d.language, d.version from search_documents d, generate_series(1, ${copies}::int) n
      where d.meeting_id = ${meetingId}`);
    await db.execute(sql`insert into search_postings
      select c.document, p.term, p.chunks, p.best, p.first, p.weights, p.places
      from search_documents d join search_postings p using (document), search_documents c
      where d.meeting_id = ${meetingId} and c.meeting_id like ${`${meetingId}_%`}`);
  }

  /** Ranks a person's chunks as if one meeting meant exactly what the query means, and the others nothing like it. */
  async function rankWithNear(person: { userId: string; key: string }, nearId: string, query: string) {
    const { db } = api;
    await db.execute(sql`update search_documents set space = ${nearId} where meeting_id in (
      select id from meetings where user_id = ${person.userId})`);
    await db.execute(
      sql`insert into search_windows
        select document, 1, 0, (case when meeting_id = ${nearId} then '[1,0]' else '[0,1]' end)::search_vector
        from search_documents where space = ${nearId}`,
    );
    const { chunks } = await explainRanking(
      db,
      toSearchScope(visibleTo(person)),
      { query },
      {
        state: () => ({ mode: "similarity", name: "near" }),
        embedQuery: async () => ({
          space: nearId,
          vector: [1, 0],
          scale: { unrelated: 0, weight: 1, limit: 0.25 },
        }),
        startEmbedding: () => async () => {},
      },
    );
    return chunks;
  }

  test("the words of a meeting near by similarity count, even if many others contain more of them", async () => {
    const anna = await given.person();
    const common = await given.meeting(anna, {
      transcript: said("Quarterly, quarterly, quarterly numbers."),
    });
    const near = await given.meeting(anna, {
      transcript: said(`A quarterly invoice. ${"So it went on. ".repeat(9)}`),
    });
    await copyMeeting(common.meetingId, 60);
    const [first] = await rankWithNear(anna, near.meetingId, "quarterly");
    expect(first?.meetingId).toBe(near.meetingId);
    expect(first?.coverage).toBeGreaterThan(0);
  });

  test("a chunk with all words of the query comes before a similar chunk if these words are rare", async () => {
    const anna = await given.person();
    const other = await given.meeting(anna, { transcript: said("Quarterly numbers.") });
    const rare = await given.meeting(anna, { transcript: said("The wombat of Zanzibar needs a fence.") });
    const near = await given.meeting(anna, { transcript: said("An animal on an island.") });
    await copyMeeting(other.meetingId, 100);
    const chunks = await rankWithNear(anna, near.meetingId, "Zanzibar wombat");
    expect(chunks.slice(0, 2).map(({ meetingId }) => meetingId)).toEqual([rare.meetingId, near.meetingId]);
    const [found, similar] = chunks;
    expect(similar?.similarity).toBeGreaterThan(found?.coverage ?? 0);
  });
});
