import { inputSentence } from "@minutes/contract";
import { ApiError } from "@minutes/core";
import type { z } from "zod";
import { databaseOperations } from "./database.js";
import { demoOperations } from "./demo.js";
import { exportOperations } from "./export.js";
import { ingestOperations } from "./ingest.js";
import { keyOperations } from "./keys.js";
import { meetingOperations } from "./meetings.js";
import type { OperationContext } from "./operation.js";
import { searchOperations } from "./search.js";
import { shareOperations } from "./shares.js";
import { tagOperations } from "./tags.js";
import { userOperations } from "./users.js";
import { vocabularyOperations } from "./vocabulary.js";
import { webhookOperations } from "./webhooks.js";
import { workspaceOperations } from "./workspaces.js";

export type { OperationContext } from "./operation.js";

/** Everything that the command line can have done to the data. */
export const operations = {
  ...userOperations,
  ...workspaceOperations,
  ...keyOperations,
  ...exportOperations,
  ...ingestOperations,
  ...meetingOperations,
  ...webhookOperations,
  ...shareOperations,
  ...tagOperations,
  ...vocabularyOperations,
  ...demoOperations,
  ...databaseOperations,
  ...searchOperations,
};

type Operations = typeof operations;
export type OperationName = keyof Operations;
export type InputOf<Name extends OperationName> = z.input<Operations[Name]["input"]>;
export type OutputOf<Name extends OperationName> = Awaited<ReturnType<Operations[Name]["run"]>>;

/**
 * Checks the input and runs the operation.
 * @throws ApiError 400 for a wrong input, and whatever the operation refuses.
 */
export async function runOperation<Name extends OperationName>(
  context: OperationContext,
  name: Name,
  input: InputOf<Name>,
): Promise<OutputOf<Name>> {
  const operation: { input: z.ZodType; run: (context: OperationContext, input: never) => Promise<unknown> } =
    operations[name];
  const checked = operation.input.safeParse(input);
  if (!checked.success) throw new ApiError("BAD_REQUEST", inputSentence(checked.error.issues));
  return (await operation.run(context, checked.data as never)) as OutputOf<Name>;
}
