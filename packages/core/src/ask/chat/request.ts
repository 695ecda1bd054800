import { type ModelEndpoint, requestModel } from "../../lib/http/request-model.js";

/** An OpenAI-compatible chat completions API. */
export interface ChatOptions extends ModelEndpoint {
  readonly model: string;
  /** Timeout of a request in ms. */
  readonly timeout?: number;
}

/** A model that answers questions, and its limits. */
export interface AnswerModel extends ChatOptions {
  /** Maximum number of answers, and of tokens, per person and day. */
  readonly answersPerDay: number;
  readonly tokensPerDay: number;
}

/** Messages of a request, and its parameters other than the model. */
export interface ChatRequest {
  readonly messages: readonly { readonly role: "system" | "user"; readonly content: string }[];
  readonly [parameter: string]: unknown;
}

/** Maximum number of bytes read of an answer. */
const ANSWER_BYTES = 1024 * 1024;

/**
 * Sends one request and yields its answer's body, as `requestModel` does.
 * @param timeout of the whole answer in ms, unless the options have one
 */
export const requestChat = (
  { url, model, key, timeout: own }: ChatOptions,
  parameters: ChatRequest,
  signal: AbortSignal,
  timeout: number,
): AsyncGenerator<Uint8Array> => {
  const content = JSON.stringify({ model, temperature: 0, ...parameters });
  return requestModel(
    { url, key },
    {
      path: "/chat/completions",
      body: { type: "application/json", content },
      timeout: own ?? timeout,
      answerBytes: ANSWER_BYTES,
    },
    signal,
  );
};
