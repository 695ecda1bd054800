import { type Database, isMoveUnfinished, MOVE_TABLE } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { findFilledTables } from "./catalog.js";
import { MoveError } from "./errors.js";
import type { MovePlan } from "./plan.js";
import { readRow } from "./rows.js";

/** Tables that have rows in an installation that nobody has used yet: settings, starts and the link of the set-up. */
const FILLED_AT_START = ["search_settings", "sync_starts", "one_time_links"];

const markTable = sql.identifier(MOVE_TABLE);
const nameTables = (plan: MovePlan) =>
  sql.join(
    plan.tables.map(({ name }) => sql.identifier(name)),
    sql`, `,
  );

/** Reads the key of the last start of an installation, which tells it from others and from its own later states. */
async function readLastStart(source: Database): Promise<string> {
  const { key } = await readRow<{ key: string }>(
    source,
    sql`select key from sync_starts order by id desc limit 1`,
  );
  return key;
}

/**
 * Prepares the destination: an empty one is marked, one that holds a part of the same installation is kept, and begun
 * again where the source was used since.
 * @returns true when a move goes on that was interrupted.
 * @throws MoveError when it holds anything else
 */
export async function prepareDestination(
  source: Database,
  destination: Database,
  plan: MovePlan,
): Promise<boolean> {
  const start = await readLastStart(source);
  const marked = await readMark(destination);
  if (marked === null) {
    const others = plan.tables.filter(({ name }) => !FILLED_AT_START.includes(name));
    const [filled] = await findFilledTables(destination, others);
    if (filled !== undefined)
      throw new MoveError(
        `The destination is not empty: its table ${filled} has rows. Choose an empty database or directory.`,
      );
  } else {
    if (marked === start) return true;
    const { known } = await readRow<{ known: string }>(
      source,
      sql`select exists (select from sync_starts where key = ${marked})::text as known`,
    );
    if (known !== "true")
      throw new MoveError(
        "The destination holds a part of another installation. Choose an empty database or directory.",
      );
  }
  await markEmpty(destination, plan, start);
  return false;
}

/** Reads which start of which installation is being moved here; null: none. */
async function readMark(destination: Database): Promise<string | null> {
  if (!(await isMoveUnfinished(destination))) return null;
  const { start } = await readRow<{ start: string }>(
    destination,
    sql`select start from ${markTable} limit 1`,
  );
  return start;
}

/** Builds the statement that switches the triggers of all marked tables that have some. Foreign keys stay on. */
const switchTriggers = (to: "enable" | "disable"): SQL =>
  sql.raw(`do $$ declare name text; begin
    for name in select t.name from ${MOVE_TABLE} t
      where exists (select from pg_trigger g where g.tgrelid = quote_ident(t.name)::regclass and not g.tgisinternal) loop
      execute format('alter table %I ${to} trigger user', name);
    end loop; end $$`);

/** Empties the destination and marks it. Triggers stay off until the end: their work is copied. */
async function markEmpty(destination: Database, plan: MovePlan, start: string): Promise<void> {
  await destination.transaction(async (tx) => {
    await tx.execute(sql`truncate ${nameTables(plan)} cascade`);
    await tx.execute(sql`drop table if exists ${markTable}`);
    await tx.execute(
      sql`create table ${markTable} (name text primary key, start text not null, after text, done boolean not null default false)`,
    );
    const names = JSON.stringify(plan.tables.map(({ name }) => name));
    await tx.execute(
      sql`insert into ${markTable} (name, start) select name, ${start} from json_array_elements_text(${names}::text::json) t(name)`,
    );
    await tx.execute(switchTriggers("disable"));
  });
}

/**
 * Completes the destination: triggers, sequences, and numbers of transactions that are higher than all of the source's.
 * Cursors of the change feed from before the move get 410. @see docs/decisions/0160-the-change-feed.md
 */
export async function completeDestination(
  source: Database,
  destination: Database,
  plan: MovePlan,
): Promise<void> {
  const { base } = await readRow<{ base: string }>(source, sql`select transaction_base()::text as base`);
  const positions: { name: string; last: string; called: string }[] = [];
  for (const name of plan.sequences) {
    const position = await readRow<{ last: string; called: string }>(
      source,
      sql`select last_value::text as last, is_called::text as called from ${sql.identifier(name)}`,
    );
    positions.push({ name, ...position });
  }
  await destination.transaction(async (tx) => {
    await tx.execute(switchTriggers("enable"));
    for (const { name, last, called } of positions)
      await tx.execute(
        sql`select setval(quote_ident(${name})::regclass, ${last}::text::bigint, ${called}::text::boolean)`,
      );
    await tx.execute(
      sql`create or replace function transaction_base() returns bigint language sql stable return ${sql.raw(
        String(BigInt(base)),
      )}::bigint`,
    );
    // The starts that were copied are another database's: this raises the numbers.
    await tx.execute(sql`select record_start()`);
    await tx.execute(sql`drop table ${markTable}`);
  });
  await destination.execute(sql`analyze`);
}
