import type { FollowedChanges } from "@minutes/contract";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { openSignedInBrowser, type Person, readPayload, waitForFeed } from "@minutes/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

async function follow(person: Person) {
  const browser = await openSignedInBrowser(server, person);
  return async (input: object = {}) =>
    readPayload<FollowedChanges>(await browser.read("console/v1/feed/changes.follow", input));
}

test("200: begins now, and a wait ends with the kinds of what the user can see", async () => {
  const company = await server.given.company();
  const [anna, ben] = [await server.given.member(company), await server.given.member(company)];
  await server.given.meeting(anna);
  await waitForFeed(server.db);
  const [ofAnna, ofBen] = [await follow(anna), await follow(ben)];
  const [first, other] = [await ofAnna(), await ofBen()];
  expect([first.changed, other.changed]).toEqual([[], []]);
  const waiting = ofAnna({ cursor: first.nextCursor, wait: 30 });
  await expect.poll(() => server.changes.waiting).toBe(1);
  await server.given.meeting(anna, { tasks: [{ text: "Feed it" }] });
  // Waits again if a transaction of another suite held the change back for all of the wait.
  let second = await waiting;
  while (second.changed.length === 0) second = await ofAnna({ cursor: second.nextCursor, wait: 30 });
  await expect
    .poll(async () => (await ofAnna({ cursor: first.nextCursor })).changed.toSorted())
    .toEqual(["meeting", "task"]);
  expect(await ofBen({ cursor: other.nextCursor, wait: 1 })).toMatchObject({ changed: [] });
});
