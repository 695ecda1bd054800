import { schema } from "@minutes/db";
import { type Command, Option } from "commander";
import { readEnv } from "../env.js";
import { connectOperator, type Operator } from "../operator/client.js";

/** Adds a command with the options that every command has. */
export const addCommand = (parent: Command, usage: string, description: string): Command =>
  parent.command(usage).description(description).option("--json", "print the result as JSON");

/** Creates the option that sets a member's role. */
export const createRoleOption = () =>
  new Option("--role <role>", "role in the workspace; admin for its first member, otherwise member").choices(
    schema.ROLES,
  );

/** Runs `work` with a client of the installation, and closes what the client opened. */
export async function withOperator<Result>(work: (operator: Operator) => Promise<Result>): Promise<Result> {
  const { operator, close } = connectOperator(readEnv(process.env));
  try {
    return await work(operator);
  } finally {
    await close();
  }
}
