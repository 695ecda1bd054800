import {
  CompleteRecording,
  CompleteRecordingById,
  FailRecording,
  FailRecordingById,
  ImportMany,
  ImportMeeting,
  StartRecording,
  UploadedFile,
} from "@minutes/contract";
import type { AnyTRPCProcedure } from "@trpc/server";
import type { z } from "zod";

/** Schemas of the inputs that are validated in a worker thread when they are long (large-body.ts). */
export const LARGE_INPUTS = {
  CompleteRecording,
  CompleteRecordingById,
  FailRecording,
  FailRecordingById,
  ImportMany,
  ImportMeeting,
  StartRecording,
  UploadedFile,
} as const;
export type LargeInput = keyof typeof LARGE_INPUTS;

/** An input that the thread has validated. */
export class ValidatedInput {
  constructor(readonly value: object) {}
}

const names = new Map<object, LargeInput>(
  Object.entries(LARGE_INPUTS).map(([name, schema]) => [schema, name as LargeInput]),
);

/** Returns a schema that accepts an input validated by the thread unchanged, if it is one of a large input. */
export function acceptValidated<Schema extends z.ZodType>(schema: Schema): Schema {
  if (!names.has(schema)) return schema;
  const parse = (value: unknown) => (value instanceof ValidatedInput ? value.value : schema.parse(value));
  return Object.create(schema, { parse: { value: parse } });
}

/** Returns the name of a procedure's large input; null when its inputs are always validated where requests are served. */
export function getLargeInputName(procedure: AnyTRPCProcedure): LargeInput | null {
  const [input] = (procedure._def as unknown as { inputs: object[] }).inputs;
  return (input && names.get(Object.getPrototypeOf(input))) ?? null;
}
