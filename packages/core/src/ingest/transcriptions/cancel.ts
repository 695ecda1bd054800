import { MESSAGES } from "@minutes/contract";
import { schema } from "@minutes/db";
import { and, eq, ne } from "drizzle-orm";
import { ApiError } from "../../lib/errors.js";
import { type AudioStore, type Uploader, uploadedBy } from "./store.js";

const { transcriptions } = schema;

/**
 * Deletes an upload, or a recording that waits, is transcribed or has ended, with its audio. A meeting that it has become stays.
 * @throws ApiError 404; 409 while its meeting is being stored
 */
export async function deleteTranscription(
  { db, files, abort }: Pick<AudioStore, "db" | "files"> & { readonly abort: (id: string) => void },
  caller: Uploader,
  id: string,
): Promise<void> {
  const own = and(eq(transcriptions.id, id), uploadedBy(caller));
  const deleted = await db
    .delete(transcriptions)
    .where(and(own, ne(transcriptions.state, "storing")))
    .returning({ id: transcriptions.id });
  if (deleted.length === 0) {
    const [storing] = await db.select({ id: transcriptions.id }).from(transcriptions).where(own);
    throw storing
      ? new ApiError("CONFLICT", MESSAGES.transcriptionStoring)
      : new ApiError("NOT_FOUND", MESSAGES.uploadNotFound);
  }
  abort(id);
  await files.remove(id);
}
