import { explainCredentials } from "../config/settings/rules.js";
import type { OnProgress } from "../operations/archive/dump.js";
import type { MoveResult } from "../operations/move/move.js";
import type { OperatorCommand } from "./cli/command.js";
import { EXIT, UsageError } from "./cli/exit.js";
import { formatTable, note, print, printDone, withProgress } from "./cli/output.js";

const HELP = `
Copies the installation in the settings (DATABASE_URL or DATA_DIR) to the other engine: everything, including ids, keys,
secrets and the search index. The destination must be empty, or contain part of an interrupted move, which starts over. At
the end both are compared, and the source is marked as moved, so that nobody writes to it by mistake. Stop the servers first:
an embedded directory in use is refused, and so is a PostgreSQL database with Minutes sessions. Instead of in the URL, the
password can be in PGPASSWORD.`;

/** Adds `minutes move`. */
export function addMoveCommands(program: OperatorCommand): void {
  program
    .add("move", "copy the installation to PostgreSQL, or from PostgreSQL into a directory")
    .option("--to <address>", "URL of an empty PostgreSQL database, or an empty directory")
    .option("--force", "move even if servers use the source, or secrets can't be decrypted")
    .option("--reopen", "use the installation in the settings again after it was moved, and copy nothing")
    .addHelpText("after", HELP)
    .action(async ({ to, force, reopen, ...options }) => {
      if ((to === undefined) === (reopen === undefined))
        throw new UsageError("Give either --to or --reopen.");
      const wrong = explainCredentials("--to", to ?? "");
      if (wrong !== null) throw new UsageError(wrong);
      const { moveInstallation, reopenInstallation } = await import("../operations/move/move.js");
      if (reopen) {
        await reopenInstallation(program.getConfig());
        printDone(options, { reopened: true }, "Servers and commands can use this installation again.");
        return;
      }
      const result = await withProgress(
        null,
        "rows, {table}",
        (progress) => {
          const onProgress: OnProgress = (done, all, table) => {
            progress.setTotal(all);
            progress.update({ table });
            progress.update(done);
          };
          return moveInstallation(program.getConfig(), to, onProgress, { force: force === true, warn: note });
        },
        { values: { table: "" } },
      );
      print(options, result, describeResult(result));
      for (const sentence of options.json ? [] : describeEnd(result)) note(sentence);
      if (!result.equal) process.exitCode = EXIT.failed;
    });
}

const describeResult = ({ tables }: MoveResult): string[] =>
  formatTable(tables, {
    TABLE: ({ table }) => table,
    ROWS: ({ source }) => source.rows,
    MOVED: ({ destination }) => destination.rows,
    CONTENT: ({ equal }) => (equal ? "equal" : "DIFFERENT"),
  });

/** Describes the result of the move and the operator's next steps. */
function describeEnd({ equal, vectors, secrets, next }: MoveResult): string[] {
  return [
    ...(equal ? ["The move is complete: both databases are identical."] : []),
    ...(vectors
      ? []
      : [
          "The destination has no pgvector. Vectors are created once a superuser has run `create extension vector` there and servers start again.",
        ]),
    `Webhook secrets: ${secrets.readable} of ${secrets.secrets} can be decrypted.`,
    ...next,
  ];
}
