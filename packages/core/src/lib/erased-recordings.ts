import { createHash } from "node:crypto";
import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { ApiError } from "./errors.js";

const { erasedRecordings, recordings } = schema;

/**
 * Records that a person was erased from recordings, or together with them. Part of the erasing transaction, before the
 * recordings are deleted.
 * @param which a condition on `r.id`
 */
export async function markErased(tx: Database, which: SQL): Promise<void> {
  await tx.execute(sql`insert into ${erasedRecordings} (workspace_id, hash)
    select r.workspace_id, sha256(convert_to(r.external_id, 'UTF8')) from ${recordings} r
    where r.workspace_id is not null and r.external_id is not null and ${which}
    on conflict do nothing`);
}

/**
 * Requires that no person was erased from the recording with this external ID, existing or deleted. Call it with the
 * recording or its external ID locked, so that an erasure comes before or after.
 * @throws ApiError 409
 */
export async function requireNotErased(tx: Database, workspaceId: string, externalId: string): Promise<void> {
  const hash = createHash("sha256").update(externalId).digest();
  const erased = and(eq(erasedRecordings.workspaceId, workspaceId), eq(erasedRecordings.hash, hash));
  if ((await tx.$count(erasedRecordings, erased)) > 0) {
    throw new ApiError("CONFLICT", MESSAGES.erasedMeeting);
  }
}
