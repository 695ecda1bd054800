import { needs } from "@minutes/testing";
import { describe, expect, test } from "vitest";
import { fillMoveSource, moveWithKills } from "../../testing/moved-meetings.js";
import { startTestServer } from "../../testing/server.js";

const KILLS = Number(process.env.KILLS ?? 10);
const MEETINGS = Number(process.env.MEETINGS ?? 1_000);

describe("minutes move-from", { ...needs("embedded"), timeout: 7_200_000 }, () => {
  test(`${MEETINGS} meetings, killed ${KILLS} times: every meeting is there once, and no field of meetings.get differs`, async () => {
    const source = await startTestServer();
    const moved = await moveWithKills(source, await fillMoveSource(source, MEETINGS), { kills: KILLS });
    await source.close();
    console.log({ meetings: MEETINGS, ...moved });
    expect(moved).toMatchObject({ killed: KILLS, differences: [], there: MEETINGS, here: MEETINGS });
  });
});
