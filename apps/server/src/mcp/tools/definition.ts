import type { CallerKind, Operation } from "@minutes/contract";
import type { Caller } from "@minutes/core";
import type { z } from "zod";

export type Arguments = Readonly<Record<string, unknown>>;

/** What a tool can use, in addition to its arguments. */
export interface ToolHelp {
  readonly kind: Caller["kind"];
  /** Runs the tool's operation, or another one that reads and that its key may call. @throws ApiError */
  readonly run: (input: Arguments, name?: string) => Promise<unknown>;
  /** Returns the address of a meeting's page in the console. */
  readonly toUrl: (meetingId: string) => string;
  /** True if search also goes by meaning, not only by words. */
  readonly meaning: boolean;
}

/** A tool for assistants that combines operations, or answers with less than one. */
export interface ToolDefinition<Own extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  /** Tells a model when to use the tool, and what it returns. */
  readonly description: string;
  /** The operation that decides who has the tool and whether it writes. */
  readonly operation: Operation;
  /** Who has the tool, if not everybody who can call the operation. */
  readonly callers?: readonly CallerKind[];
  /** Parameters passed to an operation, which checks them; those of `operation` by default. */
  readonly input?: z.ZodType;
  /** The tool's own parameters, in addition to, or instead of, those of the same name. */
  readonly own: z.ZodObject<Own>;
  /** Answers with an object. @param args the arguments other than its own */
  readonly call: (args: Arguments, own: z.output<z.ZodObject<Own>>, help: ToolHelp) => Promise<unknown>;
}

/** Types the arguments of a tool by its own parameters. */
export const defineTool = <Own extends z.ZodRawShape>(definition: ToolDefinition<Own>): ToolDefinition =>
  definition as unknown as ToolDefinition;
