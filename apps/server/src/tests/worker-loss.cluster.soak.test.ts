import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { OPERATOR, tagMeeting } from "@minutes/core";
import { isUnavailable, schema } from "@minutes/db";
import {
  completeMeeting,
  createPersonalWebhook,
  createWebhookScene,
  onCluster,
  waitFor,
} from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { startTestServer } from "../testing/index.js";

/** Stops and starts the servers of the cluster in `TEST_CITUS_URL`. */
const SCRIPT =
  process.env.TEST_CLUSTER_SCRIPT ??
  fileURLToPath(new URL("../../../../../shared/citus/cluster.sh", import.meta.url));
const runScript = (...args: string[]) => promisify(execFile)(SCRIPT, args);

const ROUNDS = 5;
const TURNS = 60;

const transcript = Array.from({ length: TURNS }, (_, at) => ({
  speakerId: "a",
  speakerName: "Anna",
  text: `The release ${at} moves to Thursday.`,
}));
const isWhole = (data: unknown) => JSON.stringify(data).split("moves to Thursday").length - 1 === TURNS;

describe.runIf(onCluster && existsSync(SCRIPT))("a worker of the cluster is killed and comes back", () => {
  test("nothing is lost or half written, calls get 503, and the server recovers by itself", async () => {
    const scene = await createWebhookScene();
    const server = await startTestServer({ database: scene.database });
    const anna = await scene.given.person();
    const stored: string[] = [];
    const statuses: Record<string, number> = {};
    const strange: string[] = [];
    let refused = 0;
    let stopped = false;
    const count = (status: number) => {
      statuses[status] = (statuses[status] ?? 0) + 1;
    };
    const write = async () => {
      while (!stopped) {
        try {
          stored.push((await scene.given.meeting(anna, { transcript })).meetingId);
        } catch (error) {
          refused++;
          if (!isUnavailable(error)) strange.push(String((error as Error).cause ?? error));
        }
      }
    };
    const read = async () => {
      while (!stopped) {
        const listed = await server.data(anna.key, "me/meetings.list", { limit: 50 });
        for (const { id: meetingId } of listed.meetings.slice(0, 5)) {
          const { status, body } = await server.call(anna.key, "me/meetings.get", { meetingId });
          count(status);
          if (status === 200 && !isWhole(body)) strange.push(`half of ${meetingId}`);
        }
        count((await server.call(anna.key, "me/meetings.search", { query: "release" })).status);
      }
    };
    const running = Promise.all([write(), write(), read()]);
    for (let round = 0; round < ROUNDS; round++) {
      const worker = round % 2 === 0 ? "w1" : "w2";
      await setTimeout(1_000);
      await runScript("kill", worker, "KILL");
      await setTimeout(1_000);
      await waitFor(() => runScript("up", worker));
      const before = stored.length;
      await waitFor(() => expect(stored.length).toBeGreaterThan(before + 2));
    }
    stopped = true;
    await running;

    expect(strange).toEqual([]);
    expect(Object.keys(statuses).filter((status) => !["200", "503"].includes(status))).toEqual([]);
    // Every meeting is complete, acknowledged or not, once pending writes are decided.
    const there = new Set<string>();
    for (let cursor: string | undefined; ; ) {
      const page = await server.data(anna.key, "me/meetings.list", {
        limit: 50,
        ...(cursor ? { cursor } : {}),
      });
      for (const { id } of page.meetings) there.add(id);
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    for (const meetingId of stored) expect(there.has(meetingId)).toBe(true);
    for (const meetingId of there) {
      const { status, body } = await waitFor(async () => {
        const answer = await server.call(anna.key, "me/meetings.get", { meetingId });
        expect(answer.status).toBe(200);
        return answer;
      });
      expect([status, isWhole(body)]).toEqual([200, true]);
    }
    console.log(JSON.stringify({ stored: stored.length, refused, statuses }));
    await server.close();
    await scene.close();
  });

  test("every completed and every changed meeting is delivered in full, and the workers recover by themselves", async () => {
    const scene = await createWebhookScene();
    const { url, received } = await scene.receiver();
    const anna = await scene.given.person();
    await createPersonalWebhook(scene.db, scene.settings, anna.userId, {
      name: "All",
      url,
      method: "signature",
      events: ["meeting.completed", "meeting.updated"],
    });
    let faults = 0;
    const strange: string[] = [];
    const note = (error: unknown) => {
      faults++;
      if (!isUnavailable(error)) strange.push(String((error as Error).cause ?? error));
    };
    await scene.worker({ onFault: note });
    await scene.worker({ onFault: note });
    const completed: string[] = [];
    const changed: string[] = [];
    let refused = 0;
    let stopped = false;
    const write = async () => {
      while (!stopped) {
        try {
          const { meetingId } = await completeMeeting(scene.db, anna, { transcript });
          completed.push(meetingId);
          await tagMeeting(scene.db, OPERATOR, meetingId, "Kept");
          changed.push(meetingId);
        } catch (error) {
          refused++;
          note(error);
        }
      }
    };
    const running = Promise.all([write(), write()]);
    const killed = [];
    for (let round = 0; round < ROUNDS; round++) {
      const worker = round % 2 === 0 ? "w1" : "w2";
      await setTimeout(1_000);
      await runScript("kill", worker, "KILL");
      const before = received.length;
      await setTimeout(2_500);
      killed.push(received.length - before);
      await waitFor(() => runScript("up", worker));
      const after = completed.length;
      await waitFor(() => expect(completed.length).toBeGreaterThan(after + 2));
    }
    stopped = true;
    await running;

    const { deliveries, meetings, webhookEvents } = schema;
    await waitFor(async () => {
      expect(await scene.db.$count(webhookEvents, sql`data is null`)).toBe(0);
      expect(await scene.db.$count(deliveries, eq(deliveries.state, "pending"))).toBe(0);
    });
    expect(strange).toEqual([]);
    const bodies = (event: string) =>
      received
        .filter(({ headers }) => headers["service-event"] === event)
        .map(({ id, body }) => ({
          id,
          body,
          meetingId: (JSON.parse(body) as { data: { id: string } }).data.id,
        }));
    expect(received.filter(({ body }) => !isWhole(body))).toEqual([]);
    // Events exist exactly for the stored meetings, acknowledged or not.
    const there = await scene.db.select({ id: meetings.id }).from(meetings);
    const all = there.map(({ id }) => id).sort();
    for (const meetingId of completed) expect(all).toContain(meetingId);
    const announced = bodies("meeting.completed");
    expect([...new Set(announced.map(({ meetingId }) => meetingId))].sort()).toEqual(all);
    // One delivery each, however often it was attempted.
    expect(new Set(announced.map(({ id }) => id)).size).toBe(all.length);
    expect(await scene.db.$count(deliveries, sql`event = 'meeting.completed'`)).toBe(all.length);
    expect(await scene.db.$count(deliveries, sql`state <> 'delivered'`)).toBe(0);
    const updates = bodies("meeting.updated");
    for (const meetingId of changed)
      expect(updates.some((update) => update.meetingId === meetingId)).toBe(true);
    expect(updates.filter(({ body }) => !body.includes("Kept"))).toEqual([]);
    console.log(
      JSON.stringify({
        meetings: all.length,
        refused,
        completed: announced.length,
        updated: updates.length,
        receivedWhileAway: killed,
        faults,
      }),
    );
    await scene.close();
  });
});
