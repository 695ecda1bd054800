import { NoInput } from "@minutes/contract";
import {
  eraseElsewhere,
  eraseFromDirectories,
  eraseFromMeetings,
  findNames,
  findPerson,
  findPlaces,
  findSought,
  listWrites,
  recordErasure,
  settlePeople,
} from "@minutes/core";
import { z } from "zod";
import { operatorProcedure } from "../operator/procedures.js";

/** What a person is known by, from `identify`. */
const SoughtPerson = z.strictObject({
  emails: z.array(z.string()).readonly(),
  personIds: z.array(z.string()).readonly(),
  addressIds: z.array(z.string()).readonly(),
  names: z.array(z.string()).readonly(),
  isGuess: z.boolean(),
});

const ErasedPerson = SoughtPerson.extend({ eraseHeld: z.boolean().optional() });

/** Meetings per step: few, so that progress is visible and requests are answered in between. */
const STEP = 5;
/** Time in ms for which a call renames meetings. */
const SETTLE_TIME = 2_000;

/** A person, with or without an account. */
export const persons = {
  /** Finds what a person is known by. Once per erasure: it removes the addresses of an ID. */
  identify: operatorProcedure
    .input(z.strictObject({ person: z.string().min(1) }))
    .query(({ ctx, input }) => findSought(ctx.db, input.person)),
  find: operatorProcedure.input(SoughtPerson).query(({ ctx, input }) => findPerson(ctx.db, input)),
  /** Records in the audit log that an erasure begins. */
  recordErasure: operatorProcedure
    .input(NoInput)
    .mutation(async ({ ctx }) => ({ id: await recordErasure(ctx.db, ctx.caller) })),
  /** Replaces the person in a few meetings; `meetingIds` is empty once none is left. */
  eraseFromMeetings: operatorProcedure
    .input(ErasedPerson)
    .mutation(async ({ ctx, input: { eraseHeld, ...sought } }) => ({
      meetingIds: await eraseFromMeetings(ctx.db, ctx.caller, sought, STEP, { eraseHeld }),
    })),
  eraseElsewhere: operatorProcedure.input(SoughtPerson).mutation(async ({ ctx, input }) => ({
    recordingIds: await eraseElsewhere(ctx.db, ctx.caller, input),
  })),
  eraseFromDirectories: operatorProcedure
    .input(SoughtPerson)
    .mutation(({ ctx, input }) => eraseFromDirectories(ctx.db, input)),
  /** Writes the names of some people to some of their meetings. `settled` is false while more are left. */
  settle: operatorProcedure
    .input(z.strictObject({ personIds: z.array(z.string()).readonly() }))
    .mutation(async ({ ctx, input }) => ({
      settled: await settlePeople(ctx.db, AbortSignal.timeout(SETTLE_TIME), input.personIds),
    })),
  /** Lists the transactions that write at the moment. */
  listWrites: operatorProcedure.input(NoInput).query(({ ctx }) => listWrites(ctx.db)),
  /** Removes erased data from the embedded database's files; false: within an hour. Null on PostgreSQL. */
  sweepFiles: operatorProcedure
    .input(NoInput)
    .mutation(async ({ ctx }) => ({ swept: ctx.maintenance ? await ctx.maintenance.sweep() : null })),
  /** Lists the columns that still contain an address or ID of the person. */
  findPlaces: operatorProcedure.input(SoughtPerson).query(({ ctx, input }) => findPlaces(ctx.db, input)),
  /** Lists the columns that have one of the person's names as a value; it can be somebody else's. */
  findNames: operatorProcedure.input(SoughtPerson).query(({ ctx, input }) => findNames(ctx.db, input)),
};
