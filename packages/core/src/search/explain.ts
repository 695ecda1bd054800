import { type Database, execute } from "@minutes/db";
import { sql } from "drizzle-orm";
import type { Scope } from "../meetings/index.js";
import { searchStatement } from "./statement.js";

/** How the database goes about a search by words, run once for that: the lines of its plan, with times. */
export async function explainSearch(
  db: Database,
  scope: Scope,
  input: { readonly query: string; readonly startDate: string; readonly endDate: string },
): Promise<string[]> {
  const rows = await execute<{ "QUERY PLAN": string }>(
    db,
    `explain_search_${scope.name}`,
    () => sql`explain (analyze, costs off) ${searchStatement(scope, null)}`,
    { ...scope.values, ...input },
  );
  return rows.map((row) => row["QUERY PLAN"]);
}
