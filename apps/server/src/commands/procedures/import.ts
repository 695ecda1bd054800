import { Email, ExportRecord, ImportMeeting, LIMITS, listAddresses } from "@minutes/contract";
import {
  audit,
  findColleagues,
  findImported,
  importMeeting,
  importTranscribed,
  isImportNeeded,
  restoreRecord,
  shareWithPeople,
} from "@minutes/core";
import { z } from "zod";
import { operatorProcedure } from "../operator/procedures.js";

/** Maximum number of addresses of one meeting. */
const ADDRESSES = LIMITS.speakersMax + LIMITS.attendeesMax;

/** A meeting of a file, in which fields can be assumed. @see docs/decisions/0034-imports.md */
const AssumedImport = ImportMeeting.safeExtend({
  assumed: z.array(z.enum(["title", "startTime", "endTime", "transcript"])).default([]),
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
      // A meeting that waits for its summary can't be shared yet.
      if (!share || imported.waits) return imported;
      const sharedWith = await shareWithPeople(db, caller, imported.meetingId, listAddresses(input));
      return { ...imported, sharedWith };
    }),
  /** Finds the members that a meeting with these addresses would be shared with. */
  findColleagues: operatorProcedure
    .input(z.strictObject({ ownerEmail: Email, emails: z.array(Email).max(ADDRESSES) }))
    .query(async ({ ctx: { db }, input }) =>
      (await findColleagues(db, input.ownerEmail, input.emails)).map(({ email }) => email),
    ),
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
