import { ExportRecord, ImportMeeting } from "@minutes/contract";
import { audit, importMeeting, restoreRecord } from "@minutes/core";
import { operatorProcedure } from "../operator/procedures.js";

/** Import of one meeting. */
export const imports = {
  import: operatorProcedure.input(ImportMeeting).mutation(async ({ ctx: { db, actor }, input }) => {
    const imported = await importMeeting(db, input);
    if (imported.created) await audit(db, actor, "import.meeting", imported.meetingId);
    if (imported.replaced) await audit(db, actor, "import.replace", imported.meetingId);
    return imported;
  }),
};

export const restore = {
  /** Stores one line of an export. */
  record: operatorProcedure.input(ExportRecord).mutation(async ({ ctx: { db, actor }, input }) => {
    const created = await restoreRecord(db, input);
    if (created && input.kind === "meeting") await audit(db, actor, "import.restore", input.id);
    return { created };
  }),
};
