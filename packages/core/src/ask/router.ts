import * as contract from "@minutes/contract";
import { implement, implementStream, JsonStream } from "../api/index.js";
import { answer } from "./answer.js";
import { ask } from "./ask.js";
import type { AnswerModel } from "./chat/index.js";

declare module "../api/index.js" {
  interface Services {
    /** Writes answers to questions; undefined if there is none. */
    readonly model?: AnswerModel | undefined;
  }
}

/** Questions about the caller's own and shared meetings. */
export const myQuestions = {
  ask: implement(contract.askMeetings, ({ db, caller, services: { similarity }, deadline, input }) =>
    ask(db, caller, input, { similarity, deadline }),
  ),
  answer: implementStream(
    contract.answerQuestion,
    async ({ db, caller, services: { similarity, model }, deadline, input }) =>
      new JsonStream(await answer(db, caller, input, { similarity, model, deadline })),
  ),
};
