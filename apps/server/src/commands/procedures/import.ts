import { Email, ExportRecord, ImportMeeting, LIMITS, listAddresses } from "@minutes/contract";
import {
  audit,
  findImported,
  importMeeting,
  importTranscribed,
  isImportNeeded,
  listReaders,
  previewReaders,
  restoreRecord,
  shareWithPeople,
} from "@minutes/core";
import { z } from "zod";
import { operatorProcedure } from "../operator/procedures.js";

/** Maximum number of addresses of one meeting. */
const ADDRESSES = LIMITS.speakersMax + LIMITS.attendeesMax;

/** A meeting of a file, in which fields can be assumed. @see docs/decisions/0034-imports.md */
const AssumedImport = ImportMeeting.safeExtend({
  assumed: z.array(z.enum(["title", "startTime", "startPrecision", "endTime", "transcript"])).default([]),
});
const SharedImport = AssumedImport.safeExtend({
  /** True to share the meeting with the members who spoke or were invited. */
  share: z.boolean().default(false),
});

/** Import of one meeting, and what was imported before. */
export const imports = {
  import: operatorProcedure
    .input(SharedImport)
    .mutation(async ({ ctx: { db, caller, summaries }, input: { share, ...input } }) => {
      const imported = await db.transaction(async (tx) => {
        const result = await (input.assumed.includes("transcript")
          ? importTranscribed(tx, input, summaries)
          : importMeeting(tx, input));
        if (result.created) await audit(tx, caller, "import.meeting", result.meetingId);
        if (result.replaced) await audit(tx, caller, "import.replace", result.meetingId);
        return result;
      });
      if (imported.waits) summaries.wake();
      const { meetingId, waits } = imported;
      // A meeting that waits for its summary can't be shared yet: only readers of its tags will see it.
      if (waits) {
        const tags = input.tags.map(({ name }) => name);
        const { readers } = await previewReaders(db, {
          ...{ ownerEmail: input.ownerEmail, meetingId: undefined, tags, emails: [] },
        });
        return { ...imported, ...(share ? { sharedWith: [] } : {}), readers };
      }
      const sharedWith = share && (await shareWithPeople(db, caller, meetingId, listAddresses(input)));
      return {
        ...imported,
        ...(sharedWith ? { sharedWith } : {}),
        readers: await listReaders(db, meetingId),
      };
    }),
  /** Finds out for a dry run whether a meeting is stored, who it would be shared with, and who could read it anyway. */
  check: operatorProcedure
    .input(
      z.strictObject({
        ownerEmail: Email,
        externalId: z.string(),
        tags: z.array(z.string()).max(LIMITS.tagsMax),
        emails: z.array(Email).max(ADDRESSES),
      }),
    )
    .query(async ({ ctx: { db }, input: { externalId, ...input } }) => {
      const [found] = await findImported(db, input.ownerEmail, [externalId]);
      const meetingId = found?.stored ? found.meetingId : undefined;
      return { stored: meetingId !== undefined, ...(await previewReaders(db, { ...input, meetingId })) };
    }),
  /** Finds out, before a recording is transcribed, whether importing it would change anything. */
  isNeeded: operatorProcedure
    .input(AssumedImport)
    .query(({ ctx: { db }, input }) => isImportNeeded(db, input)),
  /** Finds which external IDs exist in the owner's workspace. */
  findImported: operatorProcedure
    .input(z.strictObject({ ownerEmail: Email, externalIds: z.array(z.string()).max(1_000) }))
    .query(({ ctx: { db }, input }) => findImported(db, input.ownerEmail, input.externalIds)),
};

export const restore = {
  /** Stores one line of an export. */
  record: operatorProcedure.input(ExportRecord).mutation(async ({ ctx: { db, caller }, input }) => {
    const created = await restoreRecord(db, input);
    if (created && input.kind === "meeting") await audit(db, caller, "import.restore", input.id);
    return { created };
  }),
};
