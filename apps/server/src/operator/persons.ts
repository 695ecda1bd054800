import { eraseAddress, eraseFromMeetings, findAddress, findPerson } from "@minutes/core";
import { operatorProcedure, UserRef } from "./procedures.js";

/** Meetings per step: few, so that progress shows and requests get their turn in between. */
const STEP = 5;

/** A person, by their e-mail address, whether they have an account or not. */
export const persons = {
  find: operatorProcedure.input(UserRef).query(({ ctx, input }) => findPerson(ctx.db, input.email)),
  /** Replaces the person in a few meetings; `meetingIds` is empty when none is left. */
  eraseFromMeetings: operatorProcedure.input(UserRef).mutation(async ({ ctx, input }) => ({
    meetingIds: await eraseFromMeetings(ctx.db, ctx.actor, input.email, STEP),
  })),
  eraseAddress: operatorProcedure.input(UserRef).mutation(async ({ ctx, input }) => ({
    recordingIds: await eraseAddress(ctx.db, ctx.actor, input.email),
  })),
  /** Lists the columns in which the address still stands. */
  findAddress: operatorProcedure.input(UserRef).query(({ ctx, input }) => findAddress(ctx.db, input.email)),
};
