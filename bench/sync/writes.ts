import { MeetingImport } from "@minutes/contract";
import { importMeeting } from "@minutes/core";
import type { Database } from "@minutes/db";
import { givenOn, type Person, testServer } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { computeMedian } from "../requests/load.js";

/** What the feed adds to tables that are written, besides its columns. */
const INDEXES = [
  `create index meetings_of_owner_by_change on meetings (user_id, changed_in, id)`,
  `create index meetings_of_workspace_by_change on meetings (workspace_id, changed_in, id)`,
  `create index changed_tasks_of_owner on tasks (user_id, updated_in, meeting_id, id) where updated_in is not null`,
  `create index changed_tasks_of_workspace on tasks (workspace_id, updated_in, meeting_id, id) where updated_in is not null`,
  `create index meetings_of_tag_by_tagging on meeting_tags (tag_id, created_in, meeting_id)`,
];
const TABLES = ["meetings", "tasks", "meeting_tags", "tags", "summaries"];

/** Turns the feed's triggers and indexes on or off. Only its columns stay. */
async function setFeed(db: Database, on: boolean): Promise<void> {
  const run = (text: string) => db.execute(sql.raw(text));
  for (const table of TABLES) await run(`alter table ${table} ${on ? "enable" : "disable"} trigger user`);
  for (const index of INDEXES) {
    await run(`drop index if exists ${index.split(" ")[2]}`);
    if (on) await run(index);
  }
}

const IMPORTS = 40;
const UPDATES = 300;

/** Measures imports and task updates with the feed and without, in turn. Prints medians and their ratios. */
export async function measureWrites(db: Database, rounds: number): Promise<void> {
  const given = givenOn(db);
  const anna = await given.member(await given.company());
  const { taskIds } = await given.meeting(anna, {
    tasks: Array.from({ length: 20 }, (_, at) => ({ text: `Task ${at}` })),
  });
  const server = await testServer({ connection: { ...(await toConnection(db)) } });
  const times: Record<string, number[]> = {};
  for (let round = -1; round < rounds; round++) {
    for (const on of round % 2 ? [true, false] : [false, true]) {
      await setFeed(db, on);
      const name = on ? "with" : "without";
      const keep = (what: string, time: number) => {
        if (round < 0) return;
        times[`${what} ${name}`] = [...(times[`${what} ${name}`] ?? []), time];
      };
      keep("import", await measureImports(db, anna, `${round}-${name}`));
      keep("statement", await measureStatements(db, taskIds));
      keep("update", await measureUpdates(server.call, anna, taskIds));
    }
  }
  await setFeed(db, true);
  await server.close();
  for (const [what, label] of [
    ["import", "import of a meeting (200 turns, 5 tasks, 1 tag)"],
    ["update", "task update, the whole request"],
    ["statement", "task update, the statement alone"],
  ] as const) {
    const [without, withFeed] = [times[`${what} without`] ?? [], times[`${what} with`] ?? []];
    const ratios = withFeed.map((time, at) => time / (without[at] ?? Number.NaN));
    console.log(
      `${label} · without ${computeMedian(without).toFixed(3)} ms · with ${computeMedian(withFeed).toFixed(3)} ms · ` +
        `median ratio ${computeMedian(ratios).toFixed(3)} (${ratios.map((ratio) => ratio.toFixed(2)).join(", ")})`,
    );
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

const toMilliseconds = async (count: number, work: (at: number) => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  for (let at = 0; at < count; at++) await work(at);
  return (performance.now() - started) / count;
};

const measureImports = (db: Database, { email }: Person, prefix: string): Promise<number> =>
  toMilliseconds(IMPORTS, (at) =>
    importMeeting(
      db,
      MeetingImport.parse({
        externalId: `${prefix}-${at}`,
        ownerEmail: email,
        title: `Meeting ${at}`,
        startTime: "2026-01-05T10:00:00Z",
        transcript: Array.from({ length: 200 }, (_, turn) => ({
          speakerId: `s${turn % 4}`,
          speakerName: `Speaker ${turn % 4}`,
          text: `Turn ${turn} about the budget of project ${at}, its schedule and what follows from both.`,
        })),
        summary: { markdown: "# Budget\n\nIt was **discussed**." },
        tasks: Array.from({ length: 5 }, (_, task) => ({ text: `Task ${task}` })),
        tags: [{ name: "Board" }],
      }),
    ),
  );

const measureUpdates = (
  call: Awaited<ReturnType<typeof testServer>>["call"],
  { key }: Person,
  taskIds: readonly string[],
): Promise<number> =>
  toMilliseconds(UPDATES, (at) =>
    call(key, "me/tasks.update", { taskId: taskIds[at % taskIds.length], completed: at % 40 < 20 }),
  );

const measureStatements = (db: Database, taskIds: readonly string[]): Promise<number> =>
  toMilliseconds(UPDATES, (at) =>
    db.execute(
      sql`update tasks set completed = ${at % 40 < 20}, updated_at = now() where id = ${taskIds[at % taskIds.length]}`,
    ),
  );
