import { startTestServer, type TestServer } from "@minutes/server/testing";
import type { Person } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { withCircuitBreaker } from "./circuit-breaker.js";
import { createEndpointModel } from "./endpoint.js";
import { createEmbedder } from "./model.js";
import { Endpoint } from "./testing/endpoint.js";

const never = new AbortController().signal;
const MEETINGS = 6;

/** A service with a model of its own. */
interface Service {
  readonly endpoint: Endpoint;
  readonly server: TestServer;
  /** Creates vectors for some meetings. Resolves to the number of documents. */
  encodeSome(): Promise<number>;
  close(): Promise<void>;
}

async function startService(model: string, other?: Service): Promise<Service> {
  const endpoint = new Endpoint();
  const embedder = createEmbedder(createEndpointModel({ url: await endpoint.start(), model }));
  const server = await startTestServer({
    similarity: withCircuitBreaker(embedder, { queryTimeout: 60_000 }),
    ...(other ? { database: other.server.database } : {}),
  });
  return {
    endpoint,
    server,
    encodeSome: () => embedder.embedMeetings(server.db, never),
    close: async () => {
      endpoint.stop();
      await server.close();
    },
  };
}

let older: Service;
let newer: Service;
let anna: Person;
beforeEach(async () => {
  older = await startService("older");
  newer = await startService("newer", older);
  anna = await older.server.given.person();
  for (let nth = 0; nth < MEETINGS; nth++) await giveMeeting();
});
afterEach(async () => {
  await newer.close();
  await older.close();
});

const giveMeeting = () =>
  older.server.given.meeting(anna, {
    transcript: [{ speakerId: "s1", speakerName: "Anna", text: "The invoice is paid." }],
  });
/** Lets both services work in turn until neither finds anything to do. @returns what each encoded */
async function encodeAll(services: readonly Service[]): Promise<number[]> {
  const encoded = services.map(() => 0);
  for (let round = 0; round < 30; round++) {
    let idle = true;
    for (const [at, service] of services.entries()) {
      const done = await service.encodeSome();
      encoded[at] = (encoded[at] ?? 0) + done;
      if (done > 0) idle = false;
    }
    if (idle) return encoded;
  }
  throw new Error(`The services replace each other's vectors: ${encoded.join(" and ")} documents.`);
}
const countFound = async ({ server }: Service, query: string) =>
  (await server.data(anna.key, "me/meetings.search", { query, startDate: "2000-01-01" })).results.length;
const countDocuments = async (space = "%") => {
  const [row] = await older.server.db
    .select({ count: sql<number>`count(*)::int` })
    .from(sql`search_documents where coalesce(space, '') like ${space}`);
  return row?.count ?? 0;
};

test("200: of services with different models, the last to start encodes; the others search by words", async () => {
  expect(await older.encodeSome()).toBeGreaterThan(0);
  const [byNewer, byOlder] = await encodeAll([newer, older]);
  expect([byNewer, byOlder]).toEqual([await countDocuments(), 0]);
  expect(await countFound(newer, "afford")).toBe(MEETINGS);
  expect(await countFound(older, "afford")).toBe(0);
  expect(await countFound(older, "invoice")).toBe(MEETINGS);
});

test("200: a meeting that a service encodes while it is being replaced gets vectors of the new model, without a restart", async () => {
  await older.encodeSome();
  let begin = () => {};
  const began = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let end = () => {};
  older.endpoint.answer = (response, input) => {
    begin();
    end = () => older.endpoint.vectors(response, input);
  };
  const late = older.encodeSome();
  await began;
  await encodeAll([newer]);
  expect(await countFound(newer, "afford")).toBeLessThan(MEETINGS);
  older.endpoint.answer = (response, input) => older.endpoint.vectors(response, input);
  end();
  await late;
  expect(await countDocuments("model:older:%")).toBeGreaterThan(0);
  await encodeAll([newer, older]);
  expect(await countFound(newer, "afford")).toBe(MEETINGS);
});

test("200: if the service with the current model is gone for ten minutes, another takes over", async () => {
  await older.encodeSome();
  await encodeAll([newer, older]);
  const pass = (time: string) =>
    older.server.db.execute(sql`update search_settings set space_until = space_until - ${time}::interval`);
  await pass("9 minutes");
  expect(await older.encodeSome()).toBe(0);
  await newer.encodeSome();
  await pass("9 minutes");
  expect(await older.encodeSome()).toBe(0);
  await pass("2 minutes");
  await encodeAll([older]);
  expect(await countFound(older, "afford")).toBe(MEETINGS);
});
