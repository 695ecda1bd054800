import type { Database } from "@minutes/db";
import { givenOn } from "@minutes/testing";
import { sql } from "drizzle-orm";
import postgres from "postgres";
import { computeMedian } from "../requests/load.js";

/** Numbers of concurrent sessions, each updating its own tasks. */
const SESSIONS = [1, 16];
/** Length of a round in ms. */
const ROUND = 1_500;

/** A replacement for the triggers' notify function that does nothing. */
const SILENT = `create or replace function notify_change(variadic scopes text[]) returns void language plpgsql as
  $$ begin end $$`;

/**
 * Measures task updates per second, in turn without notifications, with them while nobody waits for changes, and while
 * somebody does. PostgreSQL serializes the commits of transactions that notify.
 */
export async function measureCommits(db: Database, url: string, rounds: number): Promise<void> {
  const given = givenOn(db);
  const sessions = Math.max(...SESSIONS);
  const tasks = Array.from({ length: sessions }, (_, at) => ({ text: `Task ${at}` }));
  const { taskIds } = await given.meeting(await given.person(), { tasks });
  const client = postgres(url, { max: sessions, onnotice: () => {} });
  const [row] = await client`select pg_get_functiondef('notify_change'::regproc) as text`;
  const text = String(row?.text);
  const wait = (seconds: number) => `delete from sync_waits;
    insert into sync_waits (until) values (now() + interval '${seconds} s')`;
  const variants = {
    silent: [SILENT],
    "nobody waits": [text, wait(0)],
    "somebody waits": [text, wait(3_600)],
  };
  try {
    for (const count of SESSIONS) {
      const rates: Record<string, number[]> = {};
      for (let round = 0; round < rounds; round++)
        for (const [name, statements] of Object.entries(variants)) {
          for (const statement of statements) await client.unsafe(statement);
          let commits = 0;
          const until = performance.now() + ROUND;
          const update = async (id = "") => {
            for (let at = 0; performance.now() < until; at++, commits++)
              await client`update tasks set completed = ${at % 2 === 0}, updated_at = now() where id = ${id}`;
          };
          await Promise.all(taskIds.slice(0, count).map(update));
          rates[name] = [...(rates[name] ?? []), (commits * 1000) / ROUND];
        }
      const compare = (name: string) =>
        computeMedian((rates[name] ?? []).map((rate, at) => rate / (rates.silent?.[at] ?? Number.NaN)));
      const figures = Object.entries(rates).map(
        ([name, list]) => `${name} ${computeMedian(list).toFixed(0)} (× ${compare(name).toFixed(2)})`,
      );
      console.log(`${count} sessions update tasks, commits a second · ${figures.join(" · ")}`);
    }
  } finally {
    await db.execute(sql.raw(text));
    await client.end();
  }
}
