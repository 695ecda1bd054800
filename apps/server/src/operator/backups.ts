import { MESSAGES, NoInput } from "@minutes/contract";
import { ApiError, audit } from "@minutes/core";
import { z } from "zod";
import { operatorProcedure } from "./procedures.js";

/** Builds procedures about the embedded database's backups. @throws ApiError 412 on PostgreSQL */
const backupProcedure = operatorProcedure.use(({ ctx, next }) => {
  if (!ctx.backups) throw new ApiError("PRECONDITION_FAILED", MESSAGES.backupOfPostgres);
  return next({ ctx: { backups: ctx.backups } });
});

const BackupRef = z.strictObject({ id: z.string() });

export const backups = {
  /** Begins an online backup: until it ends, the database's files may be copied. */
  begin: backupProcedure.input(NoInput).mutation(async ({ ctx: { db, actor, backups } }) => {
    const begun = await backups.begin();
    await audit(db, actor, "backup.create", begun.id);
    return begun;
  }),
  finish: backupProcedure.input(BackupRef).mutation(({ ctx, input }) => ctx.backups.finish(input.id)),
  abandon: backupProcedure.input(BackupRef).mutation(({ ctx, input }) => ctx.backups.abandon(input.id)),
};
