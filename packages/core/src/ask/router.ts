import { Answer, Ask } from "@minutes/contract";
import { JsonStream, personalProcedure } from "../api/index.js";
import { answer } from "./answer.js";
import { ask } from "./ask.js";

/** Questions about the caller's own and shared meetings. */
export const myQuestions = {
  ask: personalProcedure
    .input(Ask)
    .output(Answer)
    .query(({ ctx, input }) => ask(ctx.db, ctx.caller, input, ctx)),
  answer: personalProcedure
    .input(Ask)
    .query(async ({ ctx, input }) => new JsonStream(await answer(ctx.db, ctx.caller, input, ctx))),
};
