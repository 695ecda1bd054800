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
import { personalProcedure, workspaceProcedure } from "../api/index.js";
import { mergeAs, openDirectory, openWorkspaceDirectory, renameAs, unmergeAs } from "./access.js";
import { getPerson, listPeople } from "./list-people.js";

/** The directory of people, for a personal key: those of meetings that the caller can read. */
export const myPeople = {
  list: personalProcedure
    .input(ListPeople)
    .output(PeoplePage)
    .query(async ({ ctx, input }) => listPeople(ctx.db, await openDirectory(ctx.db, ctx.caller), input)),
  show: personalProcedure
    .input(PersonRef)
    .output(PersonDetail)
    .query(async ({ ctx, input }) =>
      getPerson(ctx.db, await openDirectory(ctx.db, ctx.caller), input.personId),
    ),
  rename: personalProcedure
    .input(RenamePerson)
    .output(ChangedPerson)
    .mutation(({ ctx, input }) => renameAs(ctx.db, ctx.caller, input)),
  merge: personalProcedure
    .input(MergePeople)
    .output(ChangedPerson)
    .mutation(({ ctx, input }) => mergeAs(ctx.db, ctx.caller, input)),
  unmerge: personalProcedure
    .input(UnmergePerson)
    .output(ChangedPerson)
    .mutation(({ ctx, input }) => unmergeAs(ctx.db, ctx.caller, input)),
};

/** The directory of people of members' meetings. */
export const workspacePeople = {
  list: workspaceProcedure
    .input(ListPeople)
    .output(PeoplePage)
    .query(({ ctx, input }) => listPeople(ctx.db, openWorkspaceDirectory(ctx.caller), input)),
  show: workspaceProcedure
    .input(PersonRef)
    .output(PersonDetail)
    .query(({ ctx, input }) => getPerson(ctx.db, openWorkspaceDirectory(ctx.caller), input.personId)),
  rename: workspaceProcedure
    .input(RenamePerson)
    .output(ChangedPerson)
    .mutation(({ ctx, input }) => renameAs(ctx.db, ctx.caller, input)),
  merge: workspaceProcedure
    .input(MergePeople)
    .output(ChangedPerson)
    .mutation(({ ctx, input }) => mergeAs(ctx.db, ctx.caller, input)),
  unmerge: workspaceProcedure
    .input(UnmergePerson)
    .output(ChangedPerson)
    .mutation(({ ctx, input }) => unmergeAs(ctx.db, ctx.caller, input)),
};
