import { schema } from "@minutes/db";
import { type Command, Option } from "commander";
import { connectOperations, type OperationsClient } from "../connect-operations.js";
import { readEnv } from "../env.js";

/** Adds a command with the options that every command has. */
export const addCommand = (parent: Command, usage: string, description: string): Command =>
  parent.command(usage).description(description).option("--json", "print the result as JSON");

export const roleOption = () =>
  new Option("--role <role>", "role in the workspace; admin for its first member, otherwise member").choices(
    schema.ROLES,
  );

/** Runs `work` with the installation's operations, and closes what it opened. */
export async function withOperations<Result>(
  work: (operations: OperationsClient) => Promise<Result>,
): Promise<Result> {
  const operations = connectOperations(readEnv(process.env));
  try {
    return await work(operations);
  } finally {
    await operations.close();
  }
}
