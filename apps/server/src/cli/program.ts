import { Command, CommanderError } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { addAudit } from "./audit.js";
import { describeData } from "./data.js";
import { addDemo } from "./demo.js";
import { addDoctor } from "./doctor.js";
import { addEmbeddings } from "./embeddings.js";
import { addExport } from "./export.js";
import { EXIT, toFailure } from "./failure.js";
import { addImport } from "./import.js";
import { addIngestKeys } from "./ingest-keys.js";
import { addKeys } from "./keys.js";
import { addLogin } from "./login.js";
import { addMcp } from "./mcp.js";
import { note, print } from "./output.js";
import { addRecordings } from "./recordings.js";
import { addReindex } from "./reindex.js";
import { addServer } from "./server.js";
import { addShares } from "./shares.js";
import { addTags } from "./tags.js";
import { addUsers } from "./users.js";
import { addVocabulary } from "./vocabulary.js";
import { addWebhooks } from "./webhooks.js";
import { addWorkspaces } from "./workspaces.js";

/** Creates the whole command line. */
export function createProgram(): Command {
  const program = new Command("minutes")
    .description("Minutes, the open meeting data service.")
    .version(manifest.version)
    .showHelpAfterError("(add --help for how it is used)")
    .exitOverride()
    .hook("preAction", (_program, command) => noteData(command));
  addServer(program);
  addImport(program);
  addExport(program);
  addReindex(program);
  addEmbeddings(program);
  addUsers(program);
  addWorkspaces(program);
  addKeys(program);
  addWebhooks(program);
  addIngestKeys(program);
  addRecordings(program);
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

/** Commands that reach no data, or say by themselves what they use. */
const WITHOUT_DATA = ["doctor", "mcp", "start"];

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
