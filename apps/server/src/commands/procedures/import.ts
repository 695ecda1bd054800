import { Email, ExportRecord, ImportMeeting } from "@minutes/contract";
import { audit, findImported, importMeeting, restoreRecord } from "@minutes/core";
import { z } from "zod";
import { operatorProcedure } from "../operator/procedures.js";

/** A meeting of a file, in which fields can be assumed. @see docs/decisions/0034-imports.md */
const AssumedImport = ImportMeeting.safeExtend({
  assumed: z.array(z.enum(["title", "startTime", "endTime"])).default([]),
});

/** Import of one meeting, and what was imported before. */
export const imports = {
  import: operatorProcedure.input(AssumedImport).mutation(({ ctx: { db, caller }, input }) =>
    db.transaction(async (tx) => {
      const imported = await importMeeting(tx, input);
      if (imported.created) await audit(tx, caller, "import.meeting", imported.meetingId);
      if (imported.replaced) await audit(tx, caller, "import.replace", imported.meetingId);
      return imported;
    }),
  ),
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
