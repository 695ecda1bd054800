import { FIELD_MESSAGES } from "./messages.js";

/** Reference documentation of one procedure, for people, editors and assistants. */
export interface ProcedureReference {
  /** A few words, without a full stop. */
  readonly summary: string;
  /** Markdown sentences: who can call it, and what it promises. */
  readonly description: string;
  /** Errors specific to this procedure, without those common to all. */
  readonly refusals: readonly Refusal[];
  /** Parameters that work with real ids; `{}` if none are required. Used by documents and tests. */
  readonly example: Readonly<Record<string, unknown>>;
  /** True for a procedure that is not in docs/specification.md. */
  readonly addition?: true;
}

/** A status and one of its messages. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** Creates a refusal with a status and a message. */
export const createRefusal = (status: number, message: string): Refusal => ({ status, message });

/** Creates the refusal of a missing or invalid field. */
export const createFieldRefusal = (name: keyof typeof FIELD_MESSAGES): Refusal =>
  createRefusal(400, FIELD_MESSAGES[name] ?? "");

/** Refusals shared by all paged lists. */
export const PAGE_REFUSALS = ["limit", "cursor", "startDate", "endDate"].map(createFieldRefusal);

/** Procedures by path below the version. */
export type ProcedureReferences = Readonly<Record<string, ProcedureReference>>;
