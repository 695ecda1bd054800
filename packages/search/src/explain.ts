import { type Database, execute } from "@minutes/db";
import { sql } from "drizzle-orm";
import { expandQuery } from "./expansions.js";
import type { SearchScope } from "./scope.js";
import { buildSearchStatement } from "./statement/statement.js";

/** Runs a search by words and returns the lines of the plan that the database used, with times in milliseconds. */
export async function explainSearch(
  db: Database,
  scope: SearchScope,
  input: { readonly query: string; readonly startDate: string; readonly endDate: string },
): Promise<string[]> {
  const rows = await execute<{ "QUERY PLAN": string }>(
    db,
    `explain_search_${scope.name}`,
    () => sql`explain (analyze, costs off) ${buildSearchStatement(scope, { similar: false })}`,
    { ...scope.values, ...input, expansions: JSON.stringify(expandQuery(input.query)) },
  );
  return rows.map((row) => row["QUERY PLAN"]);
}
