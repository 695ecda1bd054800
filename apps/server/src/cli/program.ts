import { Command, CommanderError } from "commander";
import { addAudit } from "./audit.js";
import { addDemo } from "./demo.js";
import { addDoctor } from "./doctor.js";
import { addExport } from "./export.js";
import { EXIT, toFailure } from "./failure.js";
import { addImport } from "./import.js";
import { addIngestKeys } from "./ingest-keys.js";
import { addKeys } from "./keys.js";
import { addLogin } from "./login.js";
import { addMcp } from "./mcp.js";
import { addReindex } from "./reindex.js";
import { addServer } from "./server.js";
import { addShares } from "./shares.js";
import { addTags } from "./tags.js";
import { addUsers } from "./users.js";
import { addVocabulary } from "./vocabulary.js";
import { addWebhooks } from "./webhooks.js";
import { addWorkspaces } from "./workspaces.js";

/** The whole command line. */
export function createProgram(): Command {
  const program = new Command("minutes")
    .description("Minutes, the open meeting data service.")
    .showHelpAfterError("(add --help for how it is used)")
    .exitOverride();
  addServer(program);
  addImport(program);
  addExport(program);
  addReindex(program);
  addUsers(program);
  addWorkspaces(program);
  addKeys(program);
  addWebhooks(program);
  addIngestKeys(program);
  addTags(program);
  addShares(program);
  addVocabulary(program);
  addAudit(program);
  addLogin(program);
  addDemo(program);
  addMcp(program);
  addDoctor(program);
  return program;
}

/** Runs one command; returns the exit code. Errors are sentences on stderr, never a stack. */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(args, { from: "user" });
    return Number(process.exitCode ?? EXIT.done);
  } catch (error) {
    // Commander has said it already: help that was asked for, or what is wrong with the arguments.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const { message, exitCode } = toFailure(error);
    process.stderr.write(`${message}\n`);
    return exitCode;
  }
}
