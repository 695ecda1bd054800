import { ApiError, type Caller } from "@minutes/core";
import type { JsonSchema } from "@minutes/reference";
import type { z } from "zod";

export type Arguments = Readonly<Record<string, unknown>>;

/** Context of a tool call, in addition to its arguments. */
export interface ToolHelp {
  readonly kind: Caller["kind"];
  /** Runs the tool's procedure, or another one that its key may call. @throws ApiError */
  readonly run: (input: Arguments, procedure?: string) => Promise<unknown>;
  /** Returns the address of a meeting's page in the console. */
  readonly toUrl: (meetingId: string) => string;
  /** True if search also goes by meaning, not only by words. */
  readonly meaning: boolean;
}

/** A tool for assistants, as written in this folder. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  /** Tells a model when to use the tool, and what it returns. */
  readonly description: string;
  /** The procedure that decides who has the tool and whether it writes, without the route set. */
  readonly procedure: string;
  /** True for tools that need a personal key, although workspace keys also have the procedure. */
  readonly personalOnly?: true;
  /** Input; the procedure's by default. */
  readonly input?: z.ZodType;
  /** Parameters in addition to, or instead of, the input's. */
  readonly extra?: Readonly<Record<string, JsonSchema>>;
  /** Answer; the procedure's by default. */
  readonly output?: z.ZodType;
  /** Calls the procedure with the arguments by default. */
  readonly call?: (args: Arguments, help: ToolHelp) => Promise<unknown>;
}

const refuse = (message: string): never => {
  throw new ApiError("BAD_REQUEST", message);
};

/** Maximum length of a tool's own text parameters. */
const TEXT_MAX = 1_000;

/** Describes a tool's own text parameter. */
export const textParameter = (description: string): JsonSchema => ({
  type: "string",
  minLength: 1,
  maxLength: TEXT_MAX,
  description,
});

/** Reads a text parameter. @returns undefined if it is absent @throws ApiError 400 */
export function readText(args: Arguments, name: string): string | undefined {
  const value = args[name];
  if (value === undefined) return undefined;
  if (typeof value !== "string" || value.trim() === "" || value.length > TEXT_MAX)
    return refuse(`${name} must be a string of 1 to ${TEXT_MAX.toLocaleString("en")} characters.`);
  return value.trim();
}

/** Describes a tool's own integer parameter. */
export const integerParameter = (
  description: string,
  minimum: number,
  maximum: number,
  value?: number,
): JsonSchema => ({
  ...{ type: "integer", minimum, maximum, description },
  ...(value === undefined ? {} : { default: value }),
});

/** Reads an integer parameter. @returns undefined if it is absent @throws ApiError 400 */
export function readInteger(
  args: Arguments,
  name: string,
  minimum: number,
  maximum: number,
): number | undefined {
  const value = args[name];
  if (value === undefined) return undefined;
  if (!Number.isInteger(value) || (value as number) < minimum || (value as number) > maximum)
    return refuse(`${name} must be an integer from ${minimum} to ${maximum}.`);
  return value as number;
}

/** Reads a parameter with few values. @returns undefined if it is absent @throws ApiError 400 */
export function readChoice<Choice extends string>(
  args: Arguments,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const value = args[name];
  if (value === undefined) return undefined;
  return (
    choices.find((choice) => choice === value) ?? refuse(`${name} must be one of ${choices.join(", ")}.`)
  );
}

/** Reads a parameter that is true or false. @returns false if it is absent @throws ApiError 400 */
export function readFlag(args: Arguments, name: string): boolean {
  const value = args[name] ?? false;
  return typeof value === "boolean" ? value : refuse(`${name} must be true or false.`);
}

/** Refuses arguments other than these. @throws ApiError 400 */
export function refuseOthers(args: Arguments, names: readonly string[]): void {
  const other = Object.keys(args).find((name) => !names.includes(name));
  if (other !== undefined) refuse(`Unknown field: "${other}".`);
}

/** Removes the parameters that a tool reads itself. */
export const omit = (args: Arguments, ...names: string[]): Arguments =>
  Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)));
