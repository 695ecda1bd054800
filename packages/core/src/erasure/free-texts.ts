import { FACT_NAMES } from "@minutes/contract";
import { schema } from "@minutes/db";
import { getTableName } from "drizzle-orm";

/**
 * Columns with what people said and wrote, alone or among other values. It is theirs and stays, also if it mentions an erased
 * person. The audit log keeps the IDs of people for as long as its own retention.
 */
const FREE_TEXTS = new Set(
  [
    schema.auditLog.object,
    schema.calendarEvents.title,
    schema.meetings.title,
    ...FACT_NAMES.map((name) => schema.meetings[name]),
    schema.meetingVersionContents.content,
    schema.recordingDrafts.content,
    schema.retentionRules.tag,
    schema.searchChunks.text,
    schema.searchPostings.term,
    schema.summaries.html,
    schema.summaries.markdown,
    schema.summaries.origin,
    schema.summaries.short,
    schema.summaryInstructions.name,
    schema.summaryInstructions.prompt,
    schema.summaryInstructions.tag,
    schema.summaryInstructions.word,
    schema.summaryRequests.origin,
    schema.tags.name,
    schema.tasks.text,
    schema.transcriptSegments.text,
    schema.vocabularyTerms.term,
    schema.webhookEvents.data,
  ].map((column) => toKey(getTableName(column.table), column.name)),
);

function toKey(table: string, column: string): string {
  return `${table}.${column}`;
}

/** Returns true if a column has what people said and wrote. */
export const isFreeText = (table: string, column: string): boolean => FREE_TEXTS.has(toKey(table, column));
