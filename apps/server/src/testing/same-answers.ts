import type { Connection } from "@minutes/db";
import { findPayload } from "@minutes/testing";
import type { FilledDatabase } from "./every-table.js";
import { PersonIds } from "./person-ids.js";
import { startTestServer, type TestServer } from "./server.js";

/** A call and its unmodified answer. */
export interface AskedCall {
  readonly key: string;
  readonly route: string;
  readonly input: object;
  readonly answer: string;
}

/** Starts the service on a connection that the test itself closes. */
export const serve = (connection: Connection): Promise<TestServer> =>
  startTestServer({
    connection,
    database: {
      ...{ connection, db: connection.db, url: null },
      connect: async () => connection,
      close: async () => {},
    },
  });

const WORDS = ["turbines", "late", "number 7", "Boris", "\\x00", "\u{1f600}", "nothing of it", "Anna"];

/** Creates a reproducible random generator from 0 to 1. */
function createNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

/** Calls reading procedures with random inputs, following cursors, and returns the answers. */
export async function askAtRandom(
  server: TestServer,
  { company, anna, boris, meetings }: FilledDatabase,
  { calls, seed = 17 }: { calls: number; seed?: number },
): Promise<AskedCall[]> {
  const number = createNumbers(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(number() * items.length)] as Item;
  const asked: AskedCall[] = [];
  let cursor: string | undefined;
  while (asked.length < calls) {
    const isPersonal = number() < 0.7;
    const meetingId = pick(meetings).meetingId;
    const page = { limit: 1 + Math.floor(number() * 5), ...(cursor === undefined ? {} : { cursor }) };
    const ranged = number() < 0.3 ? { startDate: "2025-06-15", endDate: "2025-06-15" } : {};
    const [name, input] = pick<[string, object]>([
      ["meetings.list", { ...page, ...ranged }],
      [
        "meetings.list",
        isPersonal ? { ...page, tag: pick(["Tag 1", "Shared tag"]) } : { ...page, userEmail: anna.email },
      ],
      ["meetings.get", { meetingId }],
      ["meetings.search", { query: pick(WORDS), startDate: "2025-01-01" }],
      ["tasks.list", { ...page, ...(number() < 0.3 ? { meetingId } : {}) }],
      ["tasks.list", { ...page, completed: number() < 0.5 }],
      [isPersonal ? "tags.list" : "meetings.get", isPersonal ? {} : { meetingId }],
    ]);
    const key = isPersonal ? pick([anna, boris]).key : company.key;
    const route = `${isPersonal ? "me" : "workspace"}/${name}`;
    const answer = await server.call(key, route, input);
    asked.push({ key, route, input, answer: `${answer.status} ${answer.text}` });
    cursor = findPayload<{ nextCursor?: string | null }>(answer)?.nextCursor ?? undefined;
  }
  return asked;
}

/**
 * Repeats calls on another server and returns those with different answers.
 * @param people translates the IDs of people into the labels of answers that lack them
 */
export async function findDifferences(
  server: TestServer,
  asked: readonly AskedCall[],
  people = new PersonIds(),
) {
  const differences: (AskedCall & { now: string })[] = [];
  for (const call of asked) {
    const { status, text } = await server.call(call.key, call.route, call.input);
    const now = people.translate(`${status} ${text}`, call.answer);
    if (now !== call.answer) differences.push({ ...call, now });
  }
  return differences;
}
