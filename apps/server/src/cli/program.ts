import { Command, CommanderError } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { addAuditCommands } from "./audit.js";
import { addBackupCommands } from "./backup.js";
import { describeData } from "./data.js";
import { addDemoCommands } from "./demo.js";
import { addDistributeCommands } from "./distribute.js";
import { addDoctorCommands } from "./doctor.js";
import { addEmbeddingsCommands } from "./embeddings.js";
import { addErasePersonCommands } from "./erase-person.js";
import { addExportCommands } from "./export.js";
import { EXIT, toFailure } from "./failure.js";
import { addImportCommands } from "./import.js";
import { addIngestKeysCommands } from "./ingest-keys.js";
import { addKeysCommands } from "./keys.js";
import { addLoginCommands } from "./login.js";
import { addMcpCommands } from "./mcp.js";
import { addMoveCommands } from "./move.js";
import { note, print } from "./output.js";
import { addRecordingsCommands } from "./recordings.js";
import { addReindexCommands } from "./reindex.js";
import { addSearchCommands } from "./search.js";
import { addServerCommands } from "./server.js";
import { addSharesCommands } from "./shares.js";
import { addStatusCommands } from "./status.js";
import { addTagsCommands } from "./tags.js";
import { addUsersCommands } from "./users.js";
import { addVocabularyCommands } from "./vocabulary.js";
import { addWebhooksCommands } from "./webhooks.js";
import { addWorkspacesCommands } from "./workspaces.js";

/** Creates the whole command line. */
export function createProgram(): Command {
  const program = new Command("minutes")
    .description("Minutes, the open meeting data service.")
    .version(manifest.version)
    .showHelpAfterError("(add --help for how it is used)")
    .exitOverride()
    .hook("preAction", (_program, command) => noteData(command));
  addServerCommands(program);
  addImportCommands(program);
  addExportCommands(program);
  addBackupCommands(program);
  addSearchCommands(program);
  addReindexCommands(program);
  addEmbeddingsCommands(program);
  addUsersCommands(program);
  addErasePersonCommands(program);
  addWorkspacesCommands(program);
  addKeysCommands(program);
  addWebhooksCommands(program);
  addIngestKeysCommands(program);
  addRecordingsCommands(program);
  addTagsCommands(program);
  addSharesCommands(program);
  addVocabularyCommands(program);
  addAuditCommands(program);
  addLoginCommands(program);
  addDemoCommands(program);
  addMoveCommands(program);
  addDistributeCommands(program);
  addMcpCommands(program);
  addStatusCommands(program);
  addDoctorCommands(program);
  return program;
}

/** Commands that reach no data, or say by themselves what they use. */
const WITHOUT_DATA = ["doctor", "mcp", "start", "verify"];

/** Says which data a command uses, before the command asks for confirmation or changes anything. */
function noteData(command: Command): void {
  const data = describeData(process.env);
  const { json, dryRun } = command.opts();
  if (data !== null && !json && !dryRun && !WITHOUT_DATA.includes(command.name())) note(`Data: ${data}`);
}

/**
 * Runs one command; returns the exit code. Errors are sentences on stderr, never a stack. With `--json` they are one
 * JSON document on stdout, as results are.
 */
export async function runCommand(args: readonly string[]): Promise<number> {
  const json = args.includes("--json");
  const program = createProgram();
  if (json) silenceErrors(program);
  try {
    await program.parseAsync(args, { from: "user" });
    return Number(process.exitCode ?? EXIT.done);
  } catch (error) {
    const failure = error instanceof CommanderError ? toUsageFailure(error) : toFailure(error);
    if (failure.exitCode === EXIT.done) return EXIT.done;
    if (json) print({ json }, { error: failure.message, data: describeData(process.env) }, []);
    // Commander has written its message already.
    else if (!(error instanceof CommanderError)) process.stderr.write(`${failure.message}\n`);
    return failure.exitCode;
  }
}

/** Keeps commander from writing errors, in every command of the program. */
function silenceErrors(command: Command): void {
  command.configureOutput({ writeErr: () => {} });
  for (const child of command.commands) silenceErrors(child);
}

/** Describes what commander refused. Help and version that were asked for are no failure. */
function toUsageFailure({ exitCode, message }: CommanderError): { message: string; exitCode: number } {
  if (exitCode === 0) return { message: "", exitCode: EXIT.done };
  return { message: message.replace(/^error: /, ""), exitCode: EXIT.usage };
}
