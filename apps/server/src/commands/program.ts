import { resolve } from "node:path";
import { type Command, CommanderError } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { type Config, describeData, parseConfig } from "../config/config.js";
import { addAuditCommands } from "./audit.js";
import { addBackupCommands } from "./backup.js";
import { addCalendarCommands } from "./calendar.js";
import { OperatorCommand } from "./cli/command.js";
import { EXIT } from "./cli/exit.js";
import { note, print } from "./cli/output.js";
import { addDeliveryCommands } from "./deliveries.js";
import { addDemoCommands } from "./demo.js";
import { addDigestsCommands } from "./digests.js";
import { addDistributeCommands } from "./distribute.js";
import { addDoctorCommands } from "./doctor/command.js";
import { addEmbeddingsCommands } from "./embeddings.js";
import { addExportCommands } from "./export.js";
import { addImportCommands } from "./import.js";
import { addInstructionsCommands } from "./instructions.js";
import { addInvitationsCommands } from "./invitations.js";
import { addKeptAudioCommands } from "./kept-audio.js";
import { addKeysCommands } from "./keys.js";
import { addMcpCommands } from "./mcp.js";
import { addMeetingsCommands } from "./meetings.js";
import { addMoveCommands } from "./move.js";
import { addMoveFromCommands } from "./move-from.js";
import { connectOperator } from "./operator/client.js";
import { addPeopleCommands } from "./people.js";
import type { OperatorProcedures } from "./procedures/router.js";
import { addPublicLinksCommands } from "./public-links.js";
import { addRecordingsCommands } from "./recordings.js";
import { addRetentionCommands } from "./retention.js";
import { addAskCommands, addReindexCommands, addSearchCommands } from "./search.js";
import { addServerCommands, type Start } from "./server.js";
import { addSharesCommands } from "./shares.js";
import { addStatusCommands } from "./status.js";
import { addTagsCommands } from "./tags.js";
import { addTasksCommands } from "./tasks.js";
import { addTranscriberCommands } from "./transcriber.js";
import { addLoginCommands, addUsersCommands } from "./users.js";
import { addVocabularyCommands } from "./vocabulary.js";
import { addWatchCommands } from "./watch.js";
import { addWebhooksCommands } from "./webhooks.js";
import { addWorkspacesCommands } from "./workspaces.js";

/** Creates the complete command line. */
export function createProgram(start: Start): Command {
  let config: Config | undefined;
  const getConfig = () => {
    config ??= parseConfig(process.env);
    return config;
  };
  const program = new OperatorCommand<OperatorProcedures>("minutes", connectOperator, getConfig)
    .description("Minutes, the open meeting data service.")
    .version(manifest.version, "-v, --version")
    .showHelpAfterError("(add --help for usage)")
    .exitOverride()
    .hook("preAction", async (_program, command) => {
      noteData(command);
      await sweep();
    });
  addServerCommands(program, start);
  addImportCommands(program);
  addWatchCommands(program);
  addExportCommands(program);
  addBackupCommands(program);
  addSearchCommands(program);
  addAskCommands(program);
  addReindexCommands(program);
  addEmbeddingsCommands(program);
  addTranscriberCommands(program);
  addUsersCommands(program);
  addPeopleCommands(program);
  addWorkspacesCommands(program);
  addInvitationsCommands(program);
  addKeysCommands(program);
  addDeliveryCommands(addWebhooksCommands(program));
  addMeetingsCommands(program);
  addTasksCommands(program);
  addRecordingsCommands(program);
  addTagsCommands(program);
  addRetentionCommands(program);
  addPublicLinksCommands(program);
  addKeptAudioCommands(program);
  addSharesCommands(program);
  addVocabularyCommands(program);
  addInstructionsCommands(program);
  addDigestsCommands(program);
  addCalendarCommands(program);
  addAuditCommands(program);
  addLoginCommands(program);
  addDemoCommands(program);
  addMoveCommands(program);
  addMoveFromCommands(program);
  addDistributeCommands(program);
  addMcpCommands(program);
  addStatusCommands(program);
  addDoctorCommands(program);
  return program;
}

/** Commands that access no data, or report it themselves. */
const WITHOUT_DATA = ["doctor", "mcp", "start", "verify"];

/** Reports which data a command uses, before it asks for confirmation or changes anything. */
function noteData(command: Command): void {
  const { json, dryRun } = command.opts();
  if (json || dryRun || WITHOUT_DATA.includes(command.name())) return;
  const data = findData();
  if (data !== null) note(`Data: ${data}`);
}

/** Removes what killed commands left in DATA_DIR. A command that can't, as another user for example, goes on. */
async function sweep(): Promise<void> {
  const config = tryToParse();
  if (config === null) return;
  const { removeCopies } = await import("../operations/temporary-files.js");
  await removeCopies(resolve(config.DATA_DIR)).catch(async (error) => {
    note((await import("./cli/failure.js")).toFailure(error).message);
  });
}

/** Describes the data; null if the settings are invalid. */
function findData(): string | null {
  const config = tryToParse();
  return config && describeData(config);
}

/** Parses the settings; null if they are invalid, which the command that needs them reports. */
function tryToParse(): Config | null {
  try {
    return parseConfig(process.env);
  } catch {
    return null;
  }
}

/**
 * Runs one command; returns the exit code. Errors are sentences on stderr, never a stack. With `--json`, they are one
 * JSON document on stdout, like results.
 */
export async function runCommand(args: readonly string[], start: Start): Promise<number> {
  const json = args.includes("--json");
  const program = createProgram(start);
  if (json) silenceErrors(program);
  try {
    await program.parseAsync(args, { from: "user" });
    return Number(process.exitCode ?? EXIT.done);
  } catch (error) {
    const failure =
      error instanceof CommanderError
        ? toUsageFailure(error)
        : (await import("./cli/failure.js")).toFailure(error);
    if (failure.exitCode === EXIT.done) return EXIT.done;
    if (json) print({ json }, { error: failure.message, data: findData() }, []);
    // Commander has already written its message.
    else if (!(error instanceof CommanderError)) process.stderr.write(`${failure.message}\n`);
    return failure.exitCode;
  }
}

/** Keeps commander from printing errors, in every command. */
function silenceErrors(command: Command): void {
  command.configureOutput({ writeErr: () => {} });
  for (const child of command.commands) silenceErrors(child);
}

/** Describes commander's error. Requested help and version are not errors. */
function toUsageFailure({ exitCode, message }: CommanderError): { message: string; exitCode: number } {
  if (exitCode === 0) return { message: "", exitCode: EXIT.done };
  return { message: message.replace(/^error: /, ""), exitCode: EXIT.usage };
}
