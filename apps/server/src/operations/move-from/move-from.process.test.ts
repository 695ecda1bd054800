import type { MeetingDetail } from "@minutes/contract";
import { givenOn, needs } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { runHere as minutes, minutesJson } from "../../testing/installation.js";
import { OWNER, openForTest } from "../../testing/meeting-files.js";
import {
  fillMoveSource,
  moveWithKills,
  readAll,
  startGate,
  withoutIds,
} from "../../testing/moved-meetings.js";
import { serve } from "../../testing/same-answers.js";
import { startTestServer, type TestServer } from "../../testing/server.js";
import type { MoveReport } from "./move-meetings.js";
import { openSource } from "./source.js";

const MEETINGS = 24;

describe("minutes move-from", needs("embedded"), () => {
  let source: TestServer;
  let filled: Awaited<ReturnType<typeof fillMoveSource>>;
  beforeAll(async () => {
    source = await startTestServer();
    filled = await fillMoveSource(source, MEETINGS);
  });
  afterAll(() => source.close());

  /** Opens a destination with a workspace. */
  async function openDestination() {
    const { DATA_DIR } = await openForTest();
    await minutesJson(["workspaces", "create", "Here"], { DATA_DIR });
    return { DATA_DIR };
  }

  const readSource = (meetingId: string): Promise<MeetingDetail> =>
    source.data(filled.company.key, "workspace/meetings.get", { meetingId });

  test("a workspace key moves all meetings with owners; all fields of meetings.get are equal, and a repeat reads nothing again", async () => {
    const { connection, db, DATA_DIR } = await openForTest();
    const settings = { DATA_DIR };
    const here = await givenOn(db).company({ name: "Here" });
    const calls: string[] = [];
    const url = await startGate(source.url, (path) => {
      calls.push(path.split("?")[0] ?? "");
      return undefined;
    });
    const move = ["move-from", url, "--workspace-key", filled.company.key, "--create-owners", "Here"];
    const report = await minutesJson<MoveReport>(move, settings);
    expect(report).toMatchObject({
      ...{ listed: MEETINGS, moved: MEETINGS, compared: MEETINGS },
      ...{ owners: [], failed: [], different: [] },
    });
    const destination = await serve(connection);
    onTestFinished(destination.close);
    const moved = new Map((await readAll(destination, here.key)).map((one) => [one.title, one]));
    expect(moved.size).toBe(MEETINGS);
    for (const meetingId of filled.meetingIds) {
      const there = await readSource(meetingId);
      const here = moved.get(there.title);
      expect(here && withoutIds(here)).toEqual(withoutIds(there));
    }
    const before = calls.length;
    const again = await minutes(move, settings);
    expect([again.code, again.stdout]).toEqual([
      0,
      `MEETINGS      COUNT\nthere         ${MEETINGS}\nmoved now     0\nhere already  ${MEETINGS}\n0 compared with the source: no differences\n`,
    ]);
    // One list, and one meeting of each owner for their address.
    expect(calls.slice(before)).toEqual([
      "/v1/workspace/meetings.list",
      "/v1/workspace/meetings.get",
      "/v1/workspace/meetings.get",
    ]);
  });

  test("--check finds what changed there since, --replace takes it, and a meeting deleted here stays deleted", async () => {
    const settings = await openDestination();
    const anna = await source.given.person({ email: "anna.there@example.com" });
    const meeting = await source.given.meeting(anna, {
      tasks: [{ text: "Call" }],
      transcript: [{ speakerId: "s", speakerName: "Anna", text: "Hello." }],
    });
    await source.given.meeting(anna, { title: "Unwanted" });
    await minutesJson(["users", "create", anna.email], settings);
    const move = (...more: string[]) =>
      minutes(["move-from", source.url, "--key", anna.key, "--json", ...more], settings);
    expect(JSON.parse((await move()).stdout)).toMatchObject({ moved: 2, different: [] });
    const { meetings } = await minutesJson<{ meetings: { id: string; title: string }[] }>(
      ["meetings", "list", anna.email],
      settings,
    );
    const unwanted = meetings.find(({ title }) => title === "Unwanted");
    await minutesJson(["meetings", "delete", unwanted?.id ?? "", "--yes"], settings);
    await source.call(anna.key, "me/tasks.update", { taskId: meeting.taskIds[0], text: "Write" });

    const checked = await move("--check");
    expect([checked.code, JSON.parse(checked.stdout)]).toMatchObject([
      1,
      {
        ...{ moved: 0, alreadyThere: 1, deletedHere: 1, compared: 1 },
        different: [{ id: meeting.meetingId, fields: ["tasks"] }],
      },
    ]);
    const replaced = await move("--replace");
    expect([replaced.code, JSON.parse(replaced.stdout)]).toMatchObject([
      0,
      { replaced: 1, deletedHere: 1, different: [] },
    ]);
  });

  test("killed at any call, a repeated move continues, and ends with every meeting once and equal", async () => {
    const { killed, differences, ...counts } = await moveWithKills(source, filled, { kills: 1 });
    expect({ killed, differences, ...counts }).toEqual({
      ...{ killed: 1, differences: [], there: MEETINGS, here: MEETINGS },
      seconds: expect.any(Number),
    });
  });

  test("a service that writes times into transcripts and leaves fields out is moved with times, and what differs is told", async () => {
    const settings = await openDestination();
    const detail = {
      ...{ id: "m1", title: "Roof", generatedTitle: null, startTime: "2026-11-05T09:30:00Z", endTime: null },
      user: { id: "u1", email: OWNER },
      summary: { markdown: "It *leaks*.", html: "<p>It <i>leaks</i>.</p>", short: "It leaks." },
      transcript: "###### 00:07\n\n**Will**: Who?\n\n**An Nguyen**: Me.\n\n###### 01:00\n\n**Will**: Ok.",
      participants: [
        { id: "p1", name: "Will", email: "will@example.com" },
        { id: "p2", name: "An Nguyen", email: null },
      ],
      ...{ tasks: [{ content: "Order", completed: true, assignee: null }], tags: [], isShared: false },
    };
    const answer = (json: unknown) => ({ status: 200, body: { result: { data: { json } } } });
    const url = await startGate(source.url, (path) => {
      if (path.includes("meetings.list"))
        return answer({ meetings: [{ ...detail, userId: "u1" }], nextCursor: null });
      return path.includes("m1")
        ? answer(detail)
        : { status: 404, body: { error: { json: { message: "?" } } } };
    });
    await minutesJson(["users", "create", OWNER], settings);
    const { code, stdout } = await minutes(["move-from", url, "--key", "jk_x", "--json"], settings);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      1,
      { moved: 1, failed: [], different: [{ id: "m1", fields: ["summary.html", "event"] }] },
    ]);
    const { meetings } = await minutesJson<{ meetings: { id: string }[] }>(
      ["meetings", "list", OWNER],
      settings,
    );
    expect(await minutesJson(["meetings", "get", meetings[0]?.id ?? ""], settings)).toMatchObject({
      ...{ title: "Roof", endTime: null, tasks: [{ content: "Order", completed: true }] },
      transcript: "**Will**: Who?\n\n**An Nguyen**: Me.\n\n**Will**: Ok.",
      participants: [{ name: "Will", email: "will@example.com" }, { name: "An Nguyen" }],
    });
  });

  test("waits as a refusal with 429 says, also without Retry-After, and moves everything once", async () => {
    const settings = await openDestination();
    const anna = await source.given.person({ email: "anna.limited@example.com" });
    for (let number = 0; number < 4; number++) await source.given.meeting(anna);
    const waits: number[] = [];
    let refusedAt = 0;
    const url = await startGate(source.url, (_, calls) => {
      if (refusedAt > 0) waits.push(Date.now() - refusedAt);
      refusedAt = 0;
      if (calls % 3 !== 0 || waits.length >= 2) return undefined;
      refusedAt = Date.now();
      const reset = String(Math.ceil(Date.now() / 1000) + 1);
      const quota = {
        ...{ "x-ratelimit-limit": "3", "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset },
        ...(waits.length === 0 ? { "retry-after": "1" } : {}),
      };
      return { status: 429, headers: quota, body: { error: "Rate limit exceeded" } };
    });
    await minutesJson(["users", "create", anna.email], settings);
    const { code, stdout } = await minutes(
      ["move-from", url, "--key", anna.key, "--owner", anna.email, "--json"],
      settings,
    );
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { listed: 4, moved: 4, different: [] }]);
    expect(waits).toHaveLength(2);
    expect(waits[0]).toBeGreaterThanOrEqual(1_000);
  });

  test("an unknown owner, a wrong key, a wrong address and a missing key are each explained, and nothing is stored", async () => {
    const settings = await openDestination();
    const run = (...args: string[]) => minutes(["move-from", ...args], settings);
    const unknown = await run(source.url, "--workspace-key", filled.company.key);
    expect([unknown.code, unknown.stdout]).toEqual([
      1,
      expect.stringContaining(`not moved: owner unknown here  ${MEETINGS}\n`),
    ]);
    expect(unknown.stderr).toContain("were not moved: No user has this e-mail address.");
    expect(unknown.stderr).toContain("Create the owners, or use --create-owners <workspace>.");
    for (const [args, code, message] of [
      [[source.url, "--key", "jk_wrong"], 1, "The source refuses the key: Invalid API key"],
      [[source.url, "--key", filled.company.key], 1, "The source refuses: This endpoint requires a personal"],
      [[`${source.url}/nowhere`, "--key", "jk_x"], 1, "The source does not have this API at this address: "],
      [["localhost:3000", "--key", "jk_x"], 2, "The URL must begin with https:// or http://"],
      [[source.url], 2, "Give --key or --workspace-key."],
    ] as const) {
      const refused = await run(...args);
      expect([refused.code, refused.stderr.trim().split("\n").at(-1)]).toEqual([
        code,
        expect.stringContaining(message),
      ]);
    }
    expect((await minutesJson<unknown[]>(["users", "list"], settings)).length).toBe(0);
    // The command itself retries for minutes.
    const silent = openSource("http://127.0.0.1:9", { key: "jk_x", retries: 1 });
    await expect(silent.list().next()).rejects.toThrow(
      /^The source does not answer: .+ Run the command again to continue\.$/,
    );
  });
});
