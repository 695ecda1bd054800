import { startTestServer, type TestServer } from "@minutes/server/testing";
import { openSignedInBrowser, type Person, readPayload } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { countOutdated, reindexMeeting, reindexSome, setSearchLanguage } from "../indexing/reindex.js";
import { countAllWaiting } from "../progress.js";
import { type SimilaritySearch, withCircuitBreaker } from "./circuit-breaker.js";
import type { Embedder } from "./embedder.js";
import { createEndpointModel } from "./endpoint.js";
import { createEmbedder } from "./model.js";
import { Endpoint } from "./testing/endpoint.js";

const never = new AbortController().signal;
const said = (text: string) => [{ speakerId: "s1", speakerName: "Anna", text }];
/** Search that waits for its model longer than a busy machine takes. */
const searchWith = (embedder: Embedder) => withCircuitBreaker(embedder, { queryTimeout: 60_000 });

let endpoint: Endpoint;
let url: string;
let server: TestServer;
let similarity: SimilaritySearch | undefined;
beforeAll(async () => {
  endpoint = new Endpoint();
  url = await endpoint.start();
  // Each test sets what search uses.
  const chosen: SimilaritySearch = {
    state: () => similarity?.state() ?? { mode: "words", reason: "none" },
    embedQuery: async (...args) => (await similarity?.embedQuery(...args)) ?? null,
    startEmbedding: () => async () => {},
  };
  server = await startTestServer({ similarity: chosen });
});
afterAll(async () => {
  endpoint.stop();
  await server.close();
});

const search = async (who: Person, query: string) =>
  (await server.data(who.key, "me/meetings.search", { query, startDate: "2000-01-01" })).results.map(
    (result) => result.text,
  );
/** Lists the tables that contain this text. */
async function findTables(text: string): Promise<string[]> {
  const tables = await server.db
    .select({ name: sql<string>`tablename` })
    .from(sql`pg_tables where schemaname = 'public'`);
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const table = sql`${sql.identifier(name)} t where position(${text} in t::text) > 0 limit 1`;
      return (await server.db.select({ one: sql`1` }).from(table)).map(() => name);
    }),
  );
  return found.flat();
}
/** @returns the number of documents that got vectors */
const workAll = async (embedder: Pick<Embedder, "embedMeetings">) => {
  let all = 0;
  for (let done = 1; done > 0; all += done) done = await embedder.embedMeetings(server.db, never);
  return all;
};

describe("search with a model", () => {
  test("200: finds paraphrases; falls back to words if the model fails, is slow or changes its dimensions", async () => {
    const anna = await server.given.person();
    await server.given.meeting(anna, { transcript: said("The invoice of the caterer is too high.") });
    await server.given.meeting(anna, { transcript: said("Wombats dig their burrows at night.") });
    const changes: (string | null)[] = [];
    const embedder = createEmbedder(createEndpointModel({ url, model: "small", pause: 1 }));
    similarity = withCircuitBreaker(embedder, {
      queryTimeout: 2_000,
      cooldown: 0,
      onChange: (reason) => changes.push(reason),
    });
    await workAll(embedder);
    expect((await search(anna, "what can we afford"))[0]).toContain("invoice");

    endpoint.answer = (response) => response.writeHead(503).end();
    expect(await search(anna, "afford")).toEqual([]);
    expect((await search(anna, "burrows"))[0]).toContain("Wombats");
    expect(similarity.state()).toMatchObject({ mode: "failing" });

    endpoint.answer = () => {};
    expect((await search(anna, "burrows"))[0]).toContain("Wombats");

    endpoint.answer = (response, input) => endpoint.vectors(response, input);
    endpoint.dimensions = 4;
    expect((await search(anna, "burrows"))[0]).toContain("Wombats");
    // Reported once when it began to fail, not for every search.
    expect(changes).toEqual(["the endpoint answered 503"]);
    // A query that timed out has not noticed the new dimensions; the next one does.
    const findParaphrase = async () => {
      await workAll(embedder);
      return (await search(anna, "what can we afford"))[0];
    };
    await expect.poll(findParaphrase).toContain("invoice");
    expect(similarity.state()).toEqual({ mode: "similarity", name: "small" });
    endpoint.dimensions = 3;
  });

  test("200: a model that failed is in use again without a search, and clients see both", async () => {
    const anna = await server.given.person();
    const browser = await openSignedInBrowser(server, anna);
    const readProgress = async () =>
      readPayload<{ failing: boolean }>(await browser.read("console/v1/meetings.searchProgress")).failing;
    const embedder = createEmbedder(createEndpointModel({ url, model: "back", pause: 1 }));
    similarity = withCircuitBreaker(embedder, { cooldown: 10 });
    await workAll(embedder);
    endpoint.answer = (response) => response.writeHead(503).end();
    await search(anna, "wombats");
    expect(await readProgress()).toBe(true);
    onTestFinished(similarity.startEmbedding(server.db));
    // Nothing is left to encode, so only a probe can notice.
    const requests = endpoint.requests.length;
    await expect.poll(() => endpoint.requests.length).toBeGreaterThan(requests);
    expect(await readProgress()).toBe(true);
    endpoint.answer = (response, input) => endpoint.vectors(response, input);
    await expect.poll(readProgress).toBe(false);
  });

  test("200: words and similarity both count; vectors of another model are never compared", async () => {
    const anna = await server.given.person();
    for (const text of ["Our budget plan for wombats.", "Our holiday plan for wombats."])
      await server.given.meeting(anna, { transcript: said(text) });
    const first = createEmbedder(createEndpointModel({ url, model: "first" }));
    similarity = searchWith(first);
    await workAll(first);
    // Both have the same words, so similarity decides.
    expect((await search(anna, "plan to afford wombats"))[0]).toContain("budget");
    expect((await search(anna, "plan"))[0]).toContain("holiday");

    const second = createEmbedder(createEndpointModel({ url, model: "second" }));
    similarity = searchWith(second);
    expect(await search(anna, "afford")).toEqual([]);
    expect(await search(anna, "plan")).toHaveLength(2);
    await workAll(second);
    expect((await search(anna, "afford"))[0]).toContain("budget");
  });

  test("200: the console shows how many visible meetings a new model has not encoded; a lexical search has none", async () => {
    const [anna, boris] = [await server.given.person(), await server.given.person()];
    for (const who of [anna, anna, boris])
      await server.given.meeting(who, { transcript: said("Wombats dig.") });
    const browser = await openSignedInBrowser(server, anna);
    const readProgress = async () => readPayload(await browser.read("console/v1/meetings.searchProgress"));
    similarity = undefined;
    expect(await readProgress()).toEqual({ meetings: 0, waiting: 0, failing: false });
    const earlier = createEmbedder(createEndpointModel({ url, model: "earlier" }));
    similarity = withCircuitBreaker(earlier);
    expect(await readProgress()).toEqual({ meetings: 2, waiting: 2, failing: false });
    const waiting = await countAllWaiting(server.db, "earlier");
    await workAll(earlier);
    expect(await readProgress()).toEqual({ meetings: 2, waiting: 0, failing: false });
    similarity = withCircuitBreaker(createEmbedder(createEndpointModel({ url, model: "later" })));
    expect(await readProgress()).toEqual({ meetings: 2, waiting: 2, failing: false });
    expect(await countAllWaiting(server.db, "later")).toBeGreaterThanOrEqual(3);
    expect(await countAllWaiting(server.db, "earlier")).toBeLessThanOrEqual(waiting - 3);
  });

  test("200: a meeting that the model refuses does not block the others", async () => {
    const anna = await server.given.person();
    const refused = "This the model refuses.";
    for (const text of ["The invoice came.", "Wombats dig.", refused])
      await server.given.meeting(anna, { transcript: said(text) });
    const embedder = createEmbedder(createEndpointModel({ url, model: "picky", pause: 1 }));
    similarity = searchWith(embedder);
    endpoint.answer = (response, input) => {
      if (input.some((text) => text.includes(refused))) response.writeHead(400).end();
      else endpoint.vectors(response, input);
    };
    await expect(embedder.embedMeetings(server.db, never)).rejects.toThrow("the endpoint answered 400");
    await workAll(embedder);
    endpoint.answer = (response, input) => endpoint.vectors(response, input);
    expect((await search(anna, "afford"))[0]).toContain("invoice");
  });

  test("200: a search waits at most two seconds for a slow model, and the next search not at all", async () => {
    const anna = await server.given.person();
    await server.given.meeting(anna, { transcript: said("Wombats dig.") });
    similarity = withCircuitBreaker(createEmbedder(createEndpointModel({ url, model: "slow" })));
    endpoint.answer = () => {};
    const took = async () => {
      const began = performance.now();
      expect(await search(anna, "wombats")).toHaveLength(1);
      return performance.now() - began;
    };
    const [first, next] = [await took(), await took()];
    endpoint.answer = (response, input) => endpoint.vectors(response, input);
    expect(first).toBeGreaterThan(1_900);
    expect(next).toBeLessThan(first);
  });

  test("200: no table keeps a vector of a deleted meeting, even if it is deleted while being encoded", async () => {
    const company = await server.given.company();
    const anna = await server.given.member(company);
    const ben = await server.given.member(company);
    const embedder = createEmbedder(createEndpointModel({ url, model: "canary" }));
    similarity = searchWith(embedder);
    const give = () => server.given.meeting(anna, { transcript: said("The budget is spent on canaries.") });
    const remove = (meetingId: string) => server.data(anna.key, "me/meetings.delete", { meetingId });
    const meeting = await give();
    await server.given.shared(meeting, ben);
    await workAll(embedder);
    expect(await search(ben, "canaries")).toContain("Anna: The budget is spent on canaries.");
    const [stored] = await server.db
      .select({ bytes: sql<string>`vector::text` })
      .from(
        sql`search_windows join search_documents using (document) where meeting_id = ${meeting.meetingId}`,
      );
    const bytes = stored?.bytes ?? "";
    expect(await findTables(bytes)).toEqual(["search_windows"]);

    await remove(meeting.meetingId);
    expect(await search(ben, "canaries")).toEqual([]);
    expect(await findTables(bytes)).toEqual([]);

    const second = await give();
    endpoint.answer = (response, input) =>
      void remove(second.meetingId).then(() => endpoint.vectors(response, input));
    await workAll(embedder);
    endpoint.answer = (response, input) => endpoint.vectors(response, input);
    expect(await findTables(bytes)).toEqual([]);
  });

  test("200: a renamed speaker keeps the vectors, a corrected turn doesn't", async () => {
    const anna = await server.given.person();
    const embedder = createEmbedder(createEndpointModel({ url, model: "renamed" }));
    const { meetingId } = await server.given.meeting(anna, { transcript: said("The budget is spent.") });
    await workAll(embedder);
    const requests = endpoint.requests.length;
    const reindex = () => server.db.transaction((tx) => reindexMeeting(tx, meetingId));
    await server.db.execute(sql`update participants set name = 'Zoe' where meeting_id = ${meetingId}`);
    await reindex();
    expect(await workAll(embedder)).toBe(0);
    expect(endpoint.requests.length).toBe(requests);
    similarity = searchWith(embedder);
    expect(await search(anna, "afford")).toContain("Zoe: The budget is spent.");
    await server.db.execute(sql`update transcript_segments set text = 'x' where meeting_id = ${meetingId}`);
    await reindex();
    expect(await workAll(embedder)).toBe(1);
  });

  test("200: a user who changes workspace keeps their vectors, and former readers no longer find them", async () => {
    const [company, other] = [await server.given.company(), await server.given.company()];
    const anna = await server.given.member(company);
    const ben = await server.given.member(company);
    const cleo = await server.given.member(other);
    const meeting = await server.given.meeting(anna, { transcript: said("The invoice is paid.") });
    await server.given.shared(meeting, ben);
    const embedder = createEmbedder(createEndpointModel({ url, model: "moving" }));
    similarity = searchWith(embedder);
    await workAll(embedder);
    expect(await search(ben, "afford")).toHaveLength(1);
    await server.given.joins(anna, other);
    expect(await search(anna, "afford")).toHaveLength(1);
    expect(await search(ben, "afford")).toEqual([]);
    expect(await search(cleo, "afford")).toEqual([]);
  });
});

test("a new language reaches old meetings by reindexing, and search finds them throughout", async () => {
  similarity = undefined;
  const anna = await server.given.person();
  await server.given.meeting(anna, { transcript: said("Die Häuser stehen leer.") });
  expect(await search(anna, "Häuser")).toHaveLength(1);
  await setSearchLanguage(server.db, "german");
  expect(await search(anna, "Häuser")).toHaveLength(1);
  expect(await countOutdated(server.db)).toBeGreaterThan(0);
  while ((await reindexSome(server.db, 3)) > 0);
  expect(await search(anna, "Haus")).toHaveLength(1);
  expect(await setSearchLanguage(server.db, "klingon")).toBe(false);
});

test("a meeting has the whole lease when its turn comes, however long those before it took", async () => {
  const anna = await server.given.person();
  for (const text of ["One.", "Two.", "Three."]) await server.given.meeting(anna, { transcript: said(text) });
  const isLeased = sql`leased_until > now()`;
  const left: number[] = [];
  const embedder = createEmbedder({
    name: "slow",
    scale: { unrelated: 0, weight: 1, limit: 1 },
    embed: async (texts) => {
      const [next] = await server.db
        .select({ seconds: sql<number>`extract(epoch from min(leased_until) - now())::float8` })
        .from(sql`search_documents where ${isLeased}`);
      if (next?.seconds) left.push(next.seconds);
      // As if it took nearly the whole lease.
      await server.db.execute(
        sql`update search_documents set leased_until = now() + interval '20 seconds' where ${isLeased}`,
      );
      return texts.map(() => [1, 0]);
    },
  });
  await workAll(embedder);
  expect(left.length).toBeGreaterThan(2);
  expect(Math.min(...left)).toBeGreaterThan(200);
});
