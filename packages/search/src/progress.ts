import type { SearchProgress } from "@minutes/contract";
import { type Database, runNamedStatement, schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import type { SearchScope } from "./scope.js";
import type { SimilaritySearch } from "./similarity/circuit-breaker.js";
import { toSpacePrefix } from "./similarity/model.js";

const { searchDocuments } = schema;

const prefix = sql.placeholder("prefix");
/** Builds the condition of a document without vectors of the current model, which is found by words only. */
const isWaiting = (space: SQL): SQL => sql`(${space} is null or not starts_with(${space}, ${prefix}::text))`;

/** Counts the scope's meetings, and those that wait for vectors of the current model. Both are 0 in a lexical search. */
export async function countWaiting(
  db: Database,
  scope: SearchScope,
  similarity: SimilaritySearch | undefined,
): Promise<SearchProgress> {
  const none = { meetings: 0, waiting: 0, failing: false };
  const state = similarity?.state();
  if (state === undefined || state.mode === "words") return none;
  const name = `search_progress_${scope.name}`;
  const [progress] = await runNamedStatement<Omit<SearchProgress, "failing">>(
    db,
    name,
    () => selectProgress(scope),
    {
      ...scope.values,
      prefix: toSpacePrefix(state.name),
    },
  );
  return { ...none, ...progress, failing: state.mode === "failing" };
}

/** Counts the installation's meetings that wait for vectors of a model. */
export async function countAllWaiting(db: Database, model: string): Promise<number> {
  const [row] = await runNamedStatement<{ waiting: number }>(db, "search_all_waiting", selectAllWaiting, {
    prefix: toSpacePrefix(model),
  });
  return row?.waiting ?? 0;
}

const selectProgress = (scope: SearchScope) => sql`
  select count(*)::int as meetings, count(*) filter (where waits)::int as waiting
  from (
    select bool_or(${isWaiting(sql`d.space`)}) as waits
    from (${scope.meetings(() => sql`true`)}) m (id)
    cross join lateral (select d.space from ${searchDocuments} d where d.meeting_id = m.id offset 0) d
    group by m.id
  ) m`;

const selectAllWaiting = () =>
  sql`select count(distinct meeting_id)::int as waiting from ${searchDocuments} where ${isWaiting(sql`space`)}`;
