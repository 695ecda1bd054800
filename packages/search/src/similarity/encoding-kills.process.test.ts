import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { needs, type Person, waitFor } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { withCircuitBreaker } from "./circuit-breaker.js";
import type { Embedder } from "./embedder.js";
import { createEndpointModel } from "./endpoint.js";
import { createEmbedder } from "./model.js";
import { Endpoint } from "./testing/endpoint.js";

const ENCODER = fileURLToPath(new URL("testing/encoder.ts", import.meta.url));
const never = new AbortController().signal;
const MEETINGS = 12;
const KILLS = 6;

let endpoint: Endpoint;
let embedder: Embedder;
let server: TestServer;
let anna: Person;
let meetings: { meetingId: string }[];
beforeEach(async () => {
  endpoint = new Endpoint();
  embedder = createEmbedder(createEndpointModel({ url: await endpoint.start(), model: "new" }));
  server = await startTestServer({ similarity: withCircuitBreaker(embedder) });
  anna = await server.given.person();
  meetings = [];
  for (let nth = 0; nth < MEETINGS; nth++)
    meetings.push(
      await server.given.meeting(anna, {
        transcript: [{ speakerId: "s1", speakerName: "Anna", text: `The invoice number ${nth} is paid.` }],
      }),
    );
  await encodeAll(createEmbedder(createEndpointModel({ url: await startEndpoint(), model: "old" })));
});
afterEach(async () => {
  endpoint.stop();
  await server.close();
});

async function startEndpoint(other = new Endpoint()): Promise<string> {
  onTestFinished(() => other.stop());
  return other.start();
}
async function encodeAll(by: Embedder): Promise<void> {
  while ((await by.embedMeetings(server.db, never)) > 0);
}
/** Starts a process that encodes with the new model. */
async function startEncoder(other: Endpoint): Promise<ChildProcess> {
  const url = await startEndpoint(other);
  const child = spawn(process.execPath, ["--import", "tsx", ENCODER, server.database.url ?? "", url, "new"], {
    stdio: "inherit",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}
/** Ends the leases of killed and frozen processes, as five minutes do. */
const endLeases = () => server.db.execute(sql`update search_documents set leased_until = null`);
const countFound = async () =>
  (await server.data(anna.key, "me/meetings.search", { query: "invoice", startDate: "2000-01-01" })).results
    .length;
/** Counts the meetings of which all documents have vectors of the new model. */
async function countEncoded(): Promise<number> {
  const [row] = await server.db
    .select({ count: sql<number>`count(*)::int` })
    .from(
      sql`(select from search_documents group by meeting_id having bool_and(space like 'model:new:%')) m`,
    );
  return row?.count ?? 0;
}
/** Reads the documents of which some chunk has no vector or a vector twice, and the vectors of no document. */
const findBroken = () =>
  server.db.select({ document: sql<number>`document`, windows: sql<number>`windows` }).from(
    sql`(select document, count(distinct chunk)::int as chunks, count(*)::int as windows from search_windows group by document) w
        full join search_documents d using (document)
        where w.chunks is distinct from d.chunks or w.windows is distinct from w.chunks or d.space is null`,
  );

describe("re-encoding", needs("postgres"), () => {
  test("200: a killed process leaves every meeting with whole vectors, and the next one goes on", async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      const dying = new Endpoint();
      let child: ChildProcess | null = null;
      let texts = 0;
      dying.answer = (response, input) => {
        if (input.some((text) => text.includes("invoice number"))) texts += 1;
        // Half of the kills come before the answer, half while its vectors are stored.
        if (texts > kill % 3 && kill % 2 === 0) child?.kill("SIGKILL");
        dying.vectors(response, input);
        if (texts > kill % 3) setTimeout(() => child?.kill("SIGKILL"), kill);
      };
      child = await startEncoder(dying);
      await once(child, "exit");
      expect(await findBroken()).toEqual([]);
      expect(await countFound()).toBe(MEETINGS);
      await endLeases();
    }
    await encodeAll(embedder);
    expect(await findBroken()).toEqual([]);
    expect(await countEncoded()).toBe(MEETINGS);
  });

  test("200: a process that was frozen while it encoded overwrites nothing newer, and leaves no vector of a deleted meeting", async () => {
    const frozen = new Endpoint();
    const asked: string[] = [];
    let thaw: (() => void) | null = null;
    let child: ChildProcess | null = null;
    frozen.answer = (response, input) => {
      asked.push(...input);
      const answer = () => frozen.vectors(response, input);
      if (thaw !== null || !input.some((text) => text.includes("invoice number"))) return answer();
      child?.kill("SIGSTOP");
      thaw = answer;
    };
    child = await startEncoder(frozen);
    await waitFor(() => expect(thaw).not.toBeNull());
    await endLeases();
    await encodeAll(embedder);
    const [deleted] = meetings.splice(-1);
    await server.data(anna.key, "me/meetings.delete", { meetingId: deleted?.meetingId });
    (thaw as (() => void) | null)?.();
    child.kill("SIGCONT");
    // It goes on with the meetings that it had taken.
    const last = `number ${MEETINGS - 2}`;
    await waitFor(() => expect(asked.some((text) => text.includes(last))).toBe(true));
    await encodeAll(embedder);
    expect(await findBroken()).toEqual([]);
    expect([await countFound(), await countEncoded()]).toEqual([MEETINGS - 1, MEETINGS - 1]);
  });
});
