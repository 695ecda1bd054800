import { answerInPieces } from "@minutes/background/pieces";
import { MESSAGES, toInputSentence } from "@minutes/contract";
import { ApiError } from "../lib/api-error.js";
import { ENVELOPE_CODEC } from "./codec.js";
import { LARGE_INPUTS, type LargeInput } from "./large-inputs.js";
import { addPathParameters, decodeBody } from "./request.js";
import { REST_CODEC } from "./rest-codec.js";

/** A body to parse and validate. */
export interface BodyQuestion {
  readonly body: Uint8Array;
  readonly schema: LargeInput;
  readonly format: "envelope" | "rest";
  /** Parameters in the path. */
  readonly parameters: Readonly<Record<string, string>> | undefined;
}

/** The input, or the sentence about why it is refused. */
export type BodyAnswer = { readonly input: object } | { readonly refused: string };

/**
 * Maximum number of values in a body. Each takes up to 300 bytes of memory, and V8 ends the whole process when JSON.parse reaches
 * a thread's memory limit. 32 MiB of the shortest segments have fewer.
 */
const VALUES_MAX = 3_000_000;

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = [...'"\\,[{'].map((character) => character.charCodeAt(0));

/** Counts the values of a JSON text, more or less. */
function countValues(json: Uint8Array): number {
  let values = 0;
  let quoted = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (quoted) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) quoted = false;
    } else if (byte === QUOTE) quoted = true;
    else if (byte === COMMA || byte === BRACKET || byte === BRACE) values++;
  }
  return values;
}

// Runs in a worker thread (large-body.ts).
answerInPieces(({ body, schema, format, parameters }: BodyQuestion): BodyAnswer => {
  if (countValues(body) > VALUES_MAX) return { refused: MESSAGES.inputTooComplex };
  try {
    const codec = format === "rest" ? REST_CODEC : ENVELOPE_CODEC;
    const input = addPathParameters(parameters, codec.parseBody(decodeBody(body)));
    const { success, data, error } = LARGE_INPUTS[schema].safeParse(input);
    return success ? { input: data } : { refused: toInputSentence(error.issues) };
  } catch (error) {
    if (error instanceof ApiError) return { refused: error.message };
    throw error;
  }
});
