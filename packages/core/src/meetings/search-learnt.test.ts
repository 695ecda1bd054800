import { forgetLearnt, learntEmbedder, rankChunks, withCircuitBreaker } from "@minutes/search";
import { type Person, type TestServer, testServer } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { claim, PACING } from "../../../search/src/similarity/lease.js";
import { loadTrainingData } from "../../../search/src/similarity/training-data.js";
import { visibleTo } from "../access/index.js";
import { toSearchScope } from "./search.js";

const never = new AbortController().signal;
const said = (text: string) => [{ speakerId: "s1", speakerName: "Anna", text }];
/** Learns after every change, without a rest. */
const EAGER = { quiet: 0, patience: 0, rest: 0, restGone: 0 };
const learner = learntEmbedder(EAGER);
const similarity = withCircuitBreaker(learner);

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ similarity });
});
afterAll(() => server.close());

const range = { startDate: "2000-01-01" };
const search = async (who: Person, query: string) =>
  (await server.data(who.key, "me/meetings.search", { query, ...range })).results;
const learnAll = async () => {
  while ((await learner.work(server.db, never)) > 0);
};
const rowsOf = async <Row>(query: ReturnType<typeof sql>): Promise<Row[]> =>
  (await server.db.select({ row: sql<Row>`to_json(r)` }).from(sql`(${query}) r`)).map(({ row }) => row);
const workspaceOf = ({ userId }: Person) => sql`(select workspace_id from members where user_id = ${userId})`;
const countOf = async (table: string, who: Person) =>
  (
    await rowsOf<{ count: number }>(
      sql`select count(*)::int as count from ${sql.identifier(table)} where workspace_id = ${workspaceOf(who)}`,
    )
  )[0]?.count ?? 0;
const noteChange = (who: Person, gone = false) =>
  server.db.execute(
    sql`insert into search_changes (workspace_id, gone) select workspace_id, ${gone} from members where user_id = ${who.userId}`,
  );

const zoo = (word: string) =>
  `The ${word} enclosure needs a fence before winter, and the keepers ask who pays for it. ${"Nobody knows yet. ".repeat(40)}`;

describe("another tenant", () => {
  /** Everything that search and learning tell one person, down to the last bit of a number. */
  const whole = async (who: Person) => {
    const queries = [
      "wombat fence",
      "who pays for the enclosure",
      "what did Anna say about winter",
      "canaryword",
    ];
    const answers = await Promise.all(queries.map((query) => search(who, query)));
    const scores = await Promise.all(
      queries.map((query) =>
        rankChunks(server.db, toSearchScope(visibleTo(who)), { query, ...range }, similarity),
      ),
    );
    const vectors = await rowsOf(sql`select m.id, v.chunk, v.vector::text from search_vectors v
      join search_documents d on d.document = v.document join meetings m on m.id = d.meeting_id
      where m.user_id = ${who.userId} order by m.id, v.chunk`);
    const terms = await rowsOf(sql`select term, vector::text from search_terms
      where workspace_id = ${workspaceOf(who)} order by term`);
    return { answers, scores, vectors, terms };
  };

  test("changes nothing by a bit: not an answer, not a score, not a vector", async () => {
    const anna = await server.given.person();
    for (const word of ["wombat", "numbat", "quokka", "wombat"])
      await server.given.meeting(anna, { transcript: said(zoo(word)) });
    await learnAll();
    const before = await whole(anna);
    expect(before.answers[0]?.length).toBeGreaterThan(1);
    expect(before.vectors.length).toBeGreaterThan(3);
    expect(before.terms.length).toBeGreaterThan(10);

    // The same words, in other numbers and company, besides a word that nobody else has.
    const eve = await server.given.person();
    for (let at = 0; at < 12; at++)
      await server.given.meeting(eve, {
        title: "Canaryword wombat",
        transcript: said(`The canaryword, a fence, and a wombat in winter. ${zoo("canaryword")}`),
      });
    await noteChange(anna);
    await learnAll();
    expect((await search(eve, "canaryword")).length).toBeGreaterThan(1);
    expect(await whole(anna)).toEqual(before);
    expect(before.answers[3]).toEqual([]);
    expect(JSON.stringify(before.terms)).not.toContain("canaryword");
  });
});

describe("what was learnt", () => {
  test("forgets the words of a meeting that was deleted, and of a member who left", async () => {
    const company = await server.given.company();
    const anna = await server.given.member(company);
    const ben = await server.given.member(company);
    const secret = await server.given.meeting(anna, { transcript: said("The echidna project is secret.") });
    await server.given.meeting(anna, { transcript: said("The echidna again, a secret.") });
    for (const title of ["One", "Two"])
      await server.given.meeting(ben, { title, transcript: said("A platypus pond project.") });
    await learnAll();
    const knows = async (who: Person, query: string) =>
      (await learner.query(server.db, who.userId, query, never)) !== null;
    expect([await knows(anna, "echidna"), await knows(anna, "platypus")]).toEqual([true, true]);

    await server.data(anna.key, "me/meetings.delete", { meetingId: secret.meetingId });
    await learnAll();
    expect(await knows(anna, "echidna")).toBe(false);
    await server.given.leaves(ben);
    await learnAll();
    expect(await knows(anna, "platypus")).toBe(false);
    expect(await knows(ben, "platypus")).toBe(true);
  });

  test("goes altogether where a server doesn't learn, and comes back where one does again", async () => {
    const anna = await server.given.person();
    for (const title of ["One", "Two"])
      await server.given.meeting(anna, { title, transcript: said("A bilby burrow.") });
    await learnAll();
    expect(await countOf("search_terms", anna)).toBeGreaterThan(0);
    await server.given.meeting(anna, { transcript: said("Not learnt from.") });
    await forgetLearnt(server.db);
    const left = await rowsOf(sql`select 1 as one from search_changes
      union all select 1 from search_terms union all select 1 from search_learning union all select 1 from search_vectors`);
    expect(left).toEqual([]);
    expect(await search(anna, "bilby")).toHaveLength(2);

    const again = learntEmbedder(EAGER);
    while ((await again.work(server.db, never)) > 0);
    expect(await countOf("search_terms", anna)).toBeGreaterThan(0);
    // What is learnt already is not learnt again by the next start.
    expect(await learntEmbedder(EAGER).work(server.db, never)).toBe(0);
  });
});

describe("learning", () => {
  const burst = { ...EAGER, quiet: 60_000, patience: 120_000 };
  const back = (who: Person, seconds: number) =>
    server.db.execute(
      sql`update search_changes set at = at - ${seconds} * interval '1 second' where workspace_id = ${workspaceOf(who)}`,
    );
  const turn = async (pacing: typeof PACING) => {
    const lease = await claim(server.db, pacing);
    await lease?.release(true);
    if (lease) await server.db.execute(sql`update search_learning set leased_until = null`);
    return lease !== null;
  };

  test("waits until a burst of changes is over, and not for one that doesn't end", async () => {
    await learnAll();
    const anna = await server.given.person();
    await noteChange(anna);
    expect(await turn(burst)).toBe(false);
    await back(anna, 61);
    await noteChange(anna);
    expect(await turn(burst)).toBe(false);
    await back(anna, 61);
    await noteChange(anna);
    expect(await turn(burst)).toBe(true);
    // Changes are gone with the turn that they led to.
    expect(await countOf("search_changes", anna)).toBe(0);
  });

  test("rests in proportion to what it took, less where words are to be forgotten", async () => {
    await learnAll();
    const anna = await server.given.person();
    await server.given.meeting(anna, { transcript: said("A dingo fence.") });
    await learnAll();
    await server.db.execute(sql`update search_learning set cost = 10000, finished_at = now() - interval '1 minute'
      where workspace_id = ${workspaceOf(anna)}`);
    const paced = { ...EAGER, rest: PACING.rest, restGone: PACING.restGone };
    await noteChange(anna);
    expect(await turn(paced)).toBe(false);
    await noteChange(anna, true);
    expect(await turn(paced)).toBe(true);
  });

  test("is one worker's at a time, and one that lost its turn stores nothing", async () => {
    await learnAll();
    const anna = await server.given.person();
    for (const title of ["One", "Two"])
      await server.given.meeting(anna, { title, transcript: said("A koala tree.") });
    const claims = await Promise.all([1, 2, 3].map(() => claim(server.db, EAGER)));
    expect(claims.filter((lease) => lease !== null)).toHaveLength(1);
    expect(await learner.work(server.db, never)).toBe(0);
    // It never came back: another learns, also without a new change.
    await server.db.execute(
      sql`update search_learning set leased_until = now() - interval '1 second' where leased_until is not null`,
    );
    expect(await learner.work(server.db, never)).toBe(2);

    // Taken over in the middle of its work.
    await noteChange(anna);
    let taken = false;
    const overtaken = new Proxy(server.db, {
      get: (db, name) => {
        if (name === "execute") {
          return async (...args: Parameters<typeof db.execute>) => {
            if (!taken) {
              taken = true;
              await server.db.execute(
                sql`update search_learning set attempt = attempt + 1, leased_until = null`,
              );
            }
            return db.execute(...args);
          };
        }
        const value = db[name as keyof typeof db] as unknown;
        return typeof value === "function" ? value.bind(db) : value;
      },
    });
    const stored = () =>
      rowsOf(sql`select generation::text as of, term as what from search_terms where workspace_id = ${workspaceOf(anna)}
        union all select d.space, d.meeting_id from search_documents d join meetings m on m.id = d.meeting_id
        where m.user_id = ${anna.userId} order by 1, 2`);
    const before = await stored();
    expect(await learner.work(overtaken, never)).toBe(0);
    expect(await stored()).toEqual(before);
    expect((await search(anna, "koala")).length).toBe(2);
  });
});

test("of a workspace that stores random words no more than 100,000 are listened to", async () => {
  const anna = await server.given.person();
  await server.given.meeting(anna, { transcript: said("A koala tree.") });
  await server.db.execute(sql`
    insert into search_postings (document, term, chunks, best, first, weights, places)
    select d.document, 'random' || n, 2, 255, 0, '\\xff', '{0}' from search_documents d
    join meetings m on m.id = d.meeting_id, generate_series(1, 150000) n where m.user_id = ${anna.userId}`);
  const [place] = await rowsOf<{ id: string }>(sql`select ${workspaceOf(anna)} as id`);
  const { terms } = await loadTrainingData(server.db, place?.id ?? "", async () => {});
  expect(terms.length).toBeGreaterThan(90_000);
  expect(terms.length).toBeLessThanOrEqual(100_000);
});
