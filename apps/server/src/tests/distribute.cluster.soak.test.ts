import { setTimeout } from "node:timers/promises";
import { distributeDatabase, readLayout } from "@minutes/db";
import { createTestDatabase, onCluster, waitFor } from "@minutes/testing";
import { describe, expect, test } from "vitest";
import { startTestServer } from "../testing/index.js";
import { launchMinutes, minutes } from "../testing/process.js";

const ROUNDS = 20;
/** Maximum time after the first table began to move at which the command is killed, in ms. */
const LONGEST = 2_000;

describe.runIf(onCluster)("minutes distribute", () => {
  test(`killed ${ROUNDS} times, it ends right, and answers stay the same`, async () => {
    const database = await createTestDatabase();
    const server = await startTestServer({ database });
    const settings = { DATABASE_URL: database.url ?? "" };
    const anna = await server.given.person();
    const meeting = await server.given.meeting(anna, {
      transcript: Array.from({ length: 200 }, (_, at) => ({
        speakerId: "a",
        speakerName: "Anna",
        text: `The release ${at} moves to Thursday, and the budget follows.`,
      })),
    });
    const look = async () => ({
      detail: await server.data(anna.key, "me/meetings.get", { meetingId: meeting.meetingId }),
      found: await server.data(anna.key, "me/meetings.search", { query: "budget on Thursday" }),
    });
    const before = await look();
    const between = new Set<number>();
    for (let round = 0; round < ROUNDS; round++) {
      // Every other round begins with distributed tables and moves them back.
      const undo = round % 2 === 0;
      const { child, output, ended } = launchMinutes(
        ["distribute", ...(undo ? ["--undo"] : ["--shards", "4"])],
        settings,
      );
      const over = ended.then(() => true);
      await waitFor(
        async () => output.stderr.includes("Moving") || Promise.race([over, setTimeout(0, false)]),
      );
      await setTimeout(Math.random() * LONGEST);
      child.kill("SIGKILL");
      await ended;
      expect(await look()).toEqual(before);
      between.add((await readLayout(database.db))?.undistributed.length ?? 5);
    }
    // Some kills happened halfway.
    expect(between.size).toBeGreaterThan(1);
    const done = await minutes(["distribute", "--json"], settings);
    expect(done).toMatchObject({ code: 0, stderr: "" });
    expect((await readLayout(database.db))?.undistributed).toEqual([]);
    expect(await look()).toEqual(before);
    expect(await distributeDatabase(settings.DATABASE_URL)).toEqual([]);
    await server.close();
    await database.close();
  });
});
