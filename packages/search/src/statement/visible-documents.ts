import { LIMITS } from "@minutes/contract";
import { schema, toSqlNumber } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import type { SearchScope } from "../scope.js";
import { parameters } from "./parameters.js";

const { searchDocuments } = schema;
const { startDate, endDate } = parameters;

/**
 * Builds stage 1, `visible`: the documents of the scope's meetings in the range. Every later stage reads only these.
 * Documents are looked up one by one (`offset 0`); otherwise the planner would scan those of all tenants.
 */
export const buildVisible = (scope: SearchScope): SQL => sql`
  visible as materialized (
    select d.document, d.first_chunk, d.chunks, d.language, d.space
    from (${scope.meetings(isInRange)}) m (id)
    cross join lateral (
      select d.document, d.first_chunk, d.chunks, d.language, d.space from ${searchDocuments} d where d.meeting_id = m.id offset 0) d
  )`;

/** Builds the range condition. Without both dates: the last six months. */
const isInRange = (startTime: SQL): SQL => sql`
  ${startTime} >= coalesce(${startDate}::timestamptz, case when ${endDate}::timestamptz is null
    then now() - interval '${toSqlNumber(LIMITS.searchDefaultMonths)} months' else '-infinity' end)
  and ${startTime} <= coalesce(${endDate}::timestamptz, 'infinity')`;
