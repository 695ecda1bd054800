import { MeetingImport } from "@minutes/contract";
import { importMeeting } from "@minutes/core";
import type { Database } from "@minutes/db";
import { startTestServer } from "@minutes/server/testing";
import { givenOn, type Person } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { createDatabaseClock } from "../requests/database-cpu.js";
import { computeMedian } from "../requests/load.js";

/** Indexes that the feed adds to written tables, in addition to its columns. */
const INDEXES = [
  `create index meetings_of_owner_by_change on meetings (user_id, changed_in, id)`,
  `create index meetings_of_workspace_by_change on meetings (workspace_id, changed_in, id)`,
  `create index changed_tasks_of_owner on tasks (user_id, updated_in, meeting_id, id) where updated_in is not null`,
  `create index changed_tasks_of_workspace on tasks (workspace_id, updated_in, meeting_id, id) where updated_in is not null`,
  `create index meetings_of_tag_by_tagging on meeting_tags (tag_id, created_in, meeting_id)`,
];
const TABLES = ["meetings", "tasks", "meeting_tags", "tags", "summaries"];

/** Enables or disables the feed's triggers and indexes. Its columns stay. */
async function setFeed(db: Database, on: boolean): Promise<void> {
  const run = (text: string) => db.execute(sql.raw(text));
  for (const table of TABLES) await run(`alter table ${table} ${on ? "enable" : "disable"} trigger user`);
  for (const index of INDEXES) {
    await run(`drop index if exists ${index.split(" ")[2]}`);
    if (on) await run(index);
  }
}

const IMPORTS = 20;
const UPDATES = 300;

/** CPU time of an operation, in ms. */
interface Cost {
  readonly database: number;
  /** Including this process, which is both client and server. */
  readonly whole: number;
}

/**
 * Measures imports and task updates with and without the feed, in turn. Prints ratios of CPU time, which other programs
 * disturb much less than wall-clock time.
 */
export async function measureWrites(db: Database, url: string, rounds: number): Promise<void> {
  const clock = createDatabaseClock(url);
  const given = givenOn(db);
  const anna = await given.member(await given.company());
  const { taskIds } = await given.meeting(anna, {
    tasks: Array.from({ length: 20 }, (_, at) => ({ text: `Task ${at}` })),
  });
  const server = await startTestServer({ connection: { ...(await toConnection(db)) } });
  const costs: Record<string, Cost[]> = {};
  for (let round = -1; round < rounds; round++) {
    for (const on of round % 2 ? [true, false] : [false, true]) {
      await setFeed(db, on);
      const name = on ? "with" : "without";
      const measure = async (what: string, count: number, work: (at: number) => Promise<unknown>) => {
        const [database, own] = [await clock.read(), process.cpuUsage()];
        for (let at = 0; at < count; at++) await work(at);
        const { user, system } = process.cpuUsage(own);
        const used = (await clock.read()) - database;
        if (round < 0) return;
        const cost = { database: used / count / 1000, whole: (used + user + system) / count / 1000 };
        costs[`${what} ${name}`] = [...(costs[`${what} ${name}`] ?? []), cost];
      };
      await measure("import", IMPORTS, (at) => importOne(db, anna, `${round}-${name}-${at}`));
      await measure("statement", UPDATES, (at) => updateByStatement(db, taskIds, at));
      await measure("update", UPDATES, (at) => updateByCall(server.call, anna, taskIds, at));
    }
  }
  await setFeed(db, true);
  await server.close();
  await clock.close();
  for (const [what, label] of [
    ["import", "import of a meeting (200 turns, 5 tasks, 1 tag)"],
    ["update", "task update, the whole request"],
    ["statement", "task update, the statement alone"],
  ] as const) {
    const [without, withFeed] = [costs[`${what} without`] ?? [], costs[`${what} with`] ?? []];
    const sum = (list: readonly Cost[], part: keyof Cost) =>
      list.reduce((total, cost) => total + cost[part], 0) / list.length;
    const parts = (["database", "whole"] as const).map((part) => {
      const ratios = withFeed.map((cost, at) => cost[part] / (without[at]?.[part] || Number.NaN));
      return (
        `${part} ${sum(without, part).toFixed(3)} → ${sum(withFeed, part).toFixed(3)} ms, ` +
        `ratio of sums ${(sum(withFeed, part) / sum(without, part)).toFixed(3)}, median ${computeMedian(ratios).toFixed(3)}`
      );
    });
    console.log(`${label} · processor time: ${parts.join(" · ")}`);
  }
}

async function toConnection(db: Database) {
  return {
    engine: "postgres" as const,
    db,
    listen: async () => async () => {},
    close: async () => {},
  };
}

const importOne = (db: Database, { email }: Person, externalId: string) =>
  importMeeting(
    db,
    MeetingImport.parse({
      externalId,
      ownerEmail: email,
      title: `Meeting ${externalId}`,
      startTime: "2026-01-05T10:00:00Z",
      transcript: Array.from({ length: 200 }, (_, turn) => ({
        speakerId: `s${turn % 4}`,
        speakerName: `Speaker ${turn % 4}`,
        text: `Turn ${turn} about the budget of project ${externalId}, its schedule and what follows from both.`,
      })),
      summary: { markdown: "# Budget\n\nIt was **discussed**." },
      tasks: Array.from({ length: 5 }, (_, task) => ({ text: `Task ${task}` })),
      tags: [{ name: "Board" }],
    }),
  );

const updateByCall = (
  call: Awaited<ReturnType<typeof startTestServer>>["call"],
  { key }: Person,
  taskIds: readonly string[],
  at: number,
) => call(key, "me/tasks.update", { taskId: taskIds[at % taskIds.length], completed: at % 40 < 20 });

const updateByStatement = (db: Database, taskIds: readonly string[], at: number) =>
  db.execute(
    sql`update tasks set completed = ${at % 40 < 20}, updated_at = now() where id = ${taskIds[at % taskIds.length]}`,
  );
