import type { WebhookSettings } from "@minutes/core";
import type { Database } from "@minutes/db";
import type { z } from "zod";

/** What every operation of the command line works on. */
export interface OperationContext {
  readonly db: Database;
  /** Where the embedded database and the sample's keys are; null on PostgreSQL. */
  readonly dataDir: string | null;
  readonly webhooks: WebhookSettings;
}

/** Something that the command line can have done, in this process or in the one that holds the data. */
export interface Operation<Schema extends z.ZodType, Output> {
  readonly input: Schema;
  readonly run: (context: OperationContext, input: z.output<Schema>) => Promise<Output>;
}

/** Declares an operation. Input and output are plain JSON, since they may cross the control socket. */
export const operation = <Schema extends z.ZodType, Output>(
  input: Schema,
  run: Operation<Schema, Output>["run"],
): Operation<Schema, Output> => ({ input, run });
