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

const names = new WeakMap<object, LargeInput>();

/** Returns the schema for a procedure's input. It accepts input validated by the thread unchanged. */
export function largeInput<Name extends LargeInput>(name: Name): (typeof LARGE_INPUTS)[Name] {
  const schema: { parse(value: unknown): unknown } = LARGE_INPUTS[name];
  const parse = (value: unknown) => (value instanceof ValidatedInput ? value.value : schema.parse(value));
  const input = Object.create(schema, { parse: { value: parse } });
  names.set(input, name);
  return input;
}

/** Returns the name of a procedure's large input; null when its inputs are always validated where requests are served. */
export function getLargeInputName(procedure: AnyTRPCProcedure): LargeInput | null {
  const [input] = (procedure._def as unknown as { inputs: object[] }).inputs;
  return (input && names.get(input)) ?? null;
}
