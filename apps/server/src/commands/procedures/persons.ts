import { Email, NoInput } from "@minutes/contract";
import { eraseAddress, eraseFromMeetings, findAddress, findPerson } from "@minutes/core";
import { z } from "zod";
import { operatorProcedure } from "../operator/procedures.js";

const Address = z.strictObject({ email: Email });

/** Meetings per step: few, so that progress is visible and requests are answered in between. */
const STEP = 5;

/** A person, by e-mail address, with or without an account. */
export const persons = {
  find: operatorProcedure.input(Address).query(({ ctx, input }) => findPerson(ctx.db, input.email)),
  /** Replaces the person in a few meetings; `meetingIds` is empty once none is left. */
  eraseFromMeetings: operatorProcedure.input(Address).mutation(async ({ ctx, input }) => ({
    meetingIds: await eraseFromMeetings(ctx.db, ctx.actor, input.email, STEP),
  })),
  eraseAddress: operatorProcedure.input(Address).mutation(async ({ ctx, input }) => ({
    recordingIds: await eraseAddress(ctx.db, ctx.actor, input.email),
  })),
  /** Removes erased data from the embedded database's files; false: within an hour. Null on PostgreSQL. */
  sweepFiles: operatorProcedure
    .input(NoInput)
    .mutation(async ({ ctx }) => ({ swept: ctx.maintenance ? await ctx.maintenance.sweep() : null })),
  /** Lists the columns that still contain the address. */
  findAddress: operatorProcedure.input(Address).query(({ ctx, input }) => findAddress(ctx.db, input.email)),
};
