import { identifyRemainingPeople } from "@minutes/core";
import { expect, onTestFinished } from "vitest";
import { PersonIds } from "../person-ids.js";
import { restoreRelease } from "../release/restore.js";
import { type Exchange, startServers } from "./exchange.js";
import { readRecording } from "./recording.js";

/** Maximum reported differences: one change usually affects many answers. */
const REPORTED = 10;

/**
 * Sends recorded requests to /v1, and requires the same answers byte for byte, except for the IDs of people.
 * @param every sends every nth request per route and status, and all successful POSTs
 */
export async function requireRecordedAnswers({ every }: { every: number }): Promise<void> {
  const recording = await readRecording();
  const restored = await restoreRelease(recording);
  onTestFinished(() => restored.remove());
  const connection = await restored.connectNew();
  await identifyRemainingPeople(connection.db, new AbortController().signal);
  const servers = await startServers(connection);
  onTestFinished(() => servers.close());

  const differences: { recorded: Exchange; now: Exchange }[] = [];
  const people = new PersonIds();
  for (const recorded of sample(recording.exchanges, every)) {
    const answer = await servers.ask(recorded.request);
    const text = people.translate(answer.text, recorded.text);
    const length = { "content-length": String(Buffer.byteLength(text)) };
    const headers = text === answer.text ? answer.headers : { ...answer.headers, ...length };
    const now = { ...answer, headers, text };
    if (JSON.stringify(now) !== JSON.stringify(recorded)) differences.push({ recorded, now });
  }
  expect(differences.slice(0, REPORTED)).toEqual([]);
  expect(people.size).toBeGreaterThan(10);
}

function sample(exchanges: readonly Exchange[], every: number): Exchange[] {
  const seen = new Map<string, number>();
  return exchanges.filter(({ request, status }) => {
    if (request.method === "POST" && status === 200) return true;
    const kind = `${request.path.split("?")[0]} ${status}`;
    const number = seen.get(kind) ?? 0;
    seen.set(kind, number + 1);
    return number % every === 0;
  });
}
