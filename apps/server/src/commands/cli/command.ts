import type { ActingAs, createProcedureBuilders } from "@minutes/core";
import type { TRPCClient } from "@trpc/client";
import { Command, InvalidArgumentError } from "commander";
import type { Config } from "../../config/config.js";
import { UsageError } from "./exit.js";
import { type NameFinder, replaceNames } from "./named.js";

declare const createRouter: ReturnType<typeof createProcedureBuilders<object>>["router"];

/** A router of operator procedures. */
export type Procedures = Parameters<typeof createRouter>[0];
type Client<Of extends Procedures> = TRPCClient<ReturnType<typeof createRouter<Of>>>;

/** Calls these operator procedures, wherever the data is open. */
export type Operator<Of extends Procedures> = {
  readonly [Name in keyof Of & keyof Client<Of>]: Client<Of>[Name];
};

/** Connects to the operator procedures. */
export type Connect<Of extends Procedures> = (
  config: Config,
  options?: { readonly migrate?: boolean; readonly poolSize?: number },
) => { readonly operator: Operator<Of>; close(): Promise<void> };

/**
 * Says as whom the operator makes a call: as a user, or as a workspace that is named instead. `true` means the user's own.
 * @throws UsageError unless exactly one is given
 */
export function actAs({
  user,
  workspace,
}: {
  readonly user?: string | undefined;
  readonly workspace?: string | true | undefined;
}): { context: { as: ActingAs } } {
  const isNamed = typeof workspace === "string";
  if ((user !== undefined) === isNamed)
    throw new UsageError("Give either a user or --workspace <workspace>.");
  return { context: { as: isNamed ? { workspace } : { user } } };
}

/** A command's arguments, its options, and the command. */
type ActionArguments = Parameters<Parameters<Command["action"]>[0]>;

/** A command that can call operator procedures. */
export class OperatorCommand<Of extends Procedures = Record<never, never>> extends Command {
  constructor(
    name: string | undefined,
    readonly connect: Connect<Of>,
    /** Parses the settings at the first call. @throws SettingsError */
    readonly getConfig: () => Config,
  ) {
    super(name);
  }

  override createCommand(name?: string): OperatorCommand<Of> {
    return new OperatorCommand(name, this.connect, this.getConfig);
  }

  /** Adds a command with the common options. */
  add(usage: string, description: string): OperatorCommand<Of> {
    return this.command(usage).description(description).option("--json", "print the result as JSON");
  }

  /**
   * Sets what the command does. `work` receives a client first, which is closed after it, and IDs for the names in
   * arguments.
   */
  run(work: (operator: Operator<Of>, ...args: ActionArguments) => Promise<void>): this {
    return this.action((...given) =>
      this.operate(async (operator) => {
        const known = operator as unknown as NameFinder;
        try {
          await work(operator, ...((await replaceNames(this, given, known)) as ActionArguments));
        } catch (error) {
          throw await (await import("./not-found.js")).explainNotFound(error, this, given);
        }
      }),
    );
  }

  /** Runs `work` with a client, and closes the client. */
  async operate(work: (operator: Operator<Of>) => Promise<void>): Promise<void> {
    const { operator, close } = this.connect(this.getConfig());
    try {
      await work(operator);
    } finally {
      await close();
    }
  }
}

/** Parses an option that is a whole number from `from` to `to`. The parser throws for others, which ends with 2. */
export const toWholeNumber =
  (from: number, to = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const number = Number(text);
    if (text.trim() !== "" && Number.isSafeInteger(number) && number >= from && number <= to) return number;
    const limit = to === Number.MAX_SAFE_INTEGER ? "" : ` to ${to}`;
    throw new InvalidArgumentError(`It must be a whole number from ${from}${limit}.`);
  };
