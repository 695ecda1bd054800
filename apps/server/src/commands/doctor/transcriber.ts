import { ModelRefusal, readModelAnswer, requestModel } from "@minutes/core";
import { z } from "zod";
import type { TranscriberChoice } from "../../operations/transcriber/choose.js";
import { describeSpeed } from "../transcriber.js";
import { type Check, fail, ok, warn } from "./check.js";

/** Timeout in ms, and maximum number of bytes read of a list of models. */
const TIMEOUT = 10_000;
const ANSWER_BYTES = 4 * 1024 * 1024;

const Models = z.object({ data: z.array(z.object({ id: z.string() })) });

const NAME = "Transcriber";

/** Says which model is installed here, or asks the endpoint for its models, which sends no content and costs nothing. Some servers have no such list. */
export async function checkTranscriber(
  choice: TranscriberChoice | null,
  timeout: number = TIMEOUT,
): Promise<Check[]> {
  if (!choice) return [];
  if (choice.kind === "local") {
    const { model, installed } = choice;
    return [ok(NAME, `${model.name} on this machine: ${describeSpeed(installed.speed)}.`)];
  }
  const transcriber = choice.endpoint;
  const request = { path: "/models", timeout, answerBytes: ANSWER_BYTES };
  try {
    const answer = await readModelAnswer(requestModel(transcriber, request, new AbortController().signal));
    return [describeModels(transcriber.model, answer)];
  } catch (error) {
    return [error instanceof ModelRefusal ? describeRefusal(error.status) : fail(NAME, UNREACHABLE)];
  }
}

const UNREACHABLE = "it does not answer: check TRANSCRIBER_URL, and that it is running.";

function describeModels(model: string, answer: string): Check {
  let models: z.infer<typeof Models> | undefined;
  try {
    models = Models.safeParse(JSON.parse(answer)).data;
  } catch {
    // Something else answers at this path.
  }
  if (models && !models.data.some(({ id }) => id === model))
    return warn(NAME, "it answers, but does not list the model in TRANSCRIBER_MODEL.");
  return ok(NAME, models ? "it answers, and lists the model." : "it answers.");
}

function describeRefusal(status: number): Check {
  if (status === 401 || status === 403)
    return fail(NAME, `it refuses the key (${status}): check TRANSCRIBER_KEY.`);
  if (status === 404 || status === 405) return ok(NAME, "it answers; it has no list of models.");
  return warn(NAME, `it answers with ${status}: check TRANSCRIBER_URL.`);
}
