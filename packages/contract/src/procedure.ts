import { FIELD_MESSAGES } from "./messages.js";

/** Describes one procedure to people, editors and assistants. */
export interface ProcedureReference {
  /** A few words, without a full stop. */
  readonly summary: string;
  /** Sentences in Markdown: who may call it, and what it promises. */
  readonly description: string;
  /** What it can refuse besides what every procedure refuses. */
  readonly refusals: readonly Refusal[];
  /** Parameters that work when its ids are real; `{}` where none are needed. Documents and tests use it. */
  readonly example: Readonly<Record<string, unknown>>;
  /** True for a procedure that docs/specification.md does not have: an addition of Minutes. */
  readonly addition?: true;
}

/** A status, and a message that it comes with. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** Makes a refusal of a status and a message. */
export const createRefusal = (status: number, message: string): Refusal => ({ status, message });

/** Makes the refusal of a field that is missing or invalid. */
export const createFieldRefusal = (name: keyof typeof FIELD_MESSAGES): Refusal =>
  createRefusal(400, FIELD_MESSAGES[name] ?? "");

/** Refusals that all paged lists share. */
export const PAGE_REFUSALS = ["limit", "cursor", "startDate", "endDate"].map(createFieldRefusal);

/** Procedures by their path below the version. */
export type ProcedureReferences = Readonly<Record<string, ProcedureReference>>;
