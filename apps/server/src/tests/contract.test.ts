import { identifyRemainingPeople } from "@minutes/core";
import { PUBLIC_ROUTES } from "@minutes/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Exchange, startServers } from "../testing/contract/exchange.js";
import { type Recording, readRecording } from "../testing/contract/recording.js";
import { PersonIds } from "../testing/person-ids.js";
import { type RestoredRelease, restoreRelease } from "../testing/release/restore.js";

/** Maximum reported differences: one change usually affects many answers. */
const REPORTED = 10;

let recording: Recording;
let restored: RestoredRelease;
let servers: Awaited<ReturnType<typeof startServers>>;
beforeAll(async () => {
  recording = await readRecording();
  restored = await restoreRelease(recording);
  const connection = await restored.connectNew();
  await identifyRemainingPeople(connection.db, new AbortController().signal);
  servers = await startServers(connection);
});
afterAll(async () => {
  await servers.close();
  await restored.remove();
});

test("every recorded request to /v1 is answered byte for byte as before, except for the IDs of people", async () => {
  const differences: { recorded: Exchange; now: Exchange }[] = [];
  const people = new PersonIds();
  for (const recorded of recording.exchanges) {
    const answer = await servers.ask(recorded.request);
    const text = people.translate(answer.text, recorded.text);
    const length = { "content-length": String(Buffer.byteLength(text)) };
    const headers = text === answer.text ? answer.headers : { ...answer.headers, ...length };
    const now = { ...answer, headers, text };
    if (JSON.stringify(now) !== JSON.stringify(recorded)) differences.push({ recorded, now });
  }
  expect(differences.slice(0, REPORTED)).toEqual([]);
  expect(people.size).toBeGreaterThan(20);
});

test("the recording has every status, and success and refusal of every procedure", () => {
  const { exchanges } = recording;
  const statuses = [...new Set(exchanges.map(({ status }) => status))].toSorted();
  expect(statuses).toEqual([200, 204, 400, 401, 403, 404, 405, 413, 415, 429, 431]);
  for (const route of PUBLIC_ROUTES.filter((name) => !name.startsWith("sync/"))) {
    const path = `/v1/${route}`;
    const answers = exchanges.filter(({ request }) => request.path.split("?")[0] === path);
    for (const status of [200, 400, 401, 403, 405, 429])
      expect(
        answers.some((answer) => answer.status === status),
        `${path}: ${status}`,
      ).toBe(true);
  }
});
