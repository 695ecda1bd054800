import {
  ChangedPerson,
  ListPeople,
  MergePeople,
  PeoplePage,
  PersonDetail,
  PersonRef,
  RenamePerson,
  UnmergePerson,
} from "@minutes/contract";
import { keyProcedure } from "../api/index.js";
import { mergeAs, openDirectory, renameAs, unmergeAs } from "./access.js";
import { getPerson, listPeople } from "./list-people.js";

/** The directory of people: those of meetings that the caller can read. */
export const people = {
  list: keyProcedure
    .input(ListPeople)
    .output(PeoplePage)
    .query(async ({ ctx, input }) => listPeople(ctx.db, await openDirectory(ctx.db, ctx.caller), input)),
  show: keyProcedure
    .input(PersonRef)
    .output(PersonDetail)
    .query(async ({ ctx, input }) =>
      getPerson(ctx.db, await openDirectory(ctx.db, ctx.caller), input.personId),
    ),
  rename: keyProcedure
    .input(RenamePerson)
    .output(ChangedPerson)
    .mutation(({ ctx, input }) => renameAs(ctx.db, ctx.caller, input)),
  merge: keyProcedure
    .input(MergePeople)
    .output(ChangedPerson)
    .mutation(({ ctx, input }) => mergeAs(ctx.db, ctx.caller, input)),
  unmerge: keyProcedure
    .input(UnmergePerson)
    .output(ChangedPerson)
    .mutation(({ ctx, input }) => unmergeAs(ctx.db, ctx.caller, input)),
};
