import { type Database, runNamedStatement } from "@minutes/db";
import { sql } from "drizzle-orm";
import { expandQuery } from "./expansions.js";
import type { SearchScope } from "./scope.js";
import { buildSearchStatement } from "./statement/statement.js";

/** Runs a lexical search and returns the lines of the query plan used, with times in ms. */
export async function explainSearch(
  db: Database,
  scope: SearchScope,
  input: { readonly query: string; readonly startDate: string; readonly endDate: string },
): Promise<string[]> {
  const rows = await runNamedStatement<{ "QUERY PLAN": string }>(
    db,
    `explain_search_${scope.name}`,
    () => sql`explain (analyze, costs off) ${buildSearchStatement(scope, { similar: false })}`,
    { ...scope.values, ...input, expansions: JSON.stringify(expandQuery(input.query)) },
  );
  return rows.map((row) => row["QUERY PLAN"]);
}
