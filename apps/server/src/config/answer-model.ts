import type { AnswerModel } from "@minutes/core";
import type { Config } from "./config.js";

/** Returns the model that writes answers; undefined if none is configured, or if it may write none. */
export function toAnswerModel(config: Config): AnswerModel | undefined {
  const { SUMMARISER_URL: url, SUMMARISER_MODEL: model, SUMMARISER_KEY: key } = config;
  const { ANSWERS_PER_DAY: answersPerDay, ANSWER_TOKENS_PER_DAY: tokensPerDay } = config;
  if (!url || !model || answersPerDay === 0) return undefined;
  return { url, model, key, answersPerDay, tokensPerDay };
}
