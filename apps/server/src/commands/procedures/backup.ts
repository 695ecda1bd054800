import { MESSAGES, NoInput } from "@minutes/contract";
import { ApiError, audit } from "@minutes/core";
import { z } from "zod";
import { operatorProcedure } from "../operator/procedures.js";

/** Builds procedures for backups of the embedded database. @throws ApiError 412 on PostgreSQL */
const backupProcedure = operatorProcedure.use(({ ctx, next }) => {
  if (!ctx.backups) throw new ApiError("PRECONDITION_FAILED", MESSAGES.backupOfPostgres);
  return next({ ctx: { backups: ctx.backups } });
});

const BackupRef = z.strictObject({ id: z.string() });

export const backups = {
  /** Begins an online backup: until it ends, the database's files can be copied. */
  begin: backupProcedure.input(NoInput).mutation(async ({ ctx: { db, caller, backups } }) => {
    const begun = await backups.begin();
    await audit(db, caller, "backup.create", begun.id);
    return begun;
  }),
  finish: backupProcedure.input(BackupRef).mutation(({ ctx, input }) => ctx.backups.finish(input.id)),
  /** Ends a backup, finished or not, and releases its log files. */
  release: backupProcedure.input(BackupRef).mutation(async ({ ctx, input }) => {
    await ctx.backups.release(input.id);
    return input;
  }),
};
