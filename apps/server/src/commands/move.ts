import type { OnProgress } from "../operations/archive/dump.js";
import type { MoveResult } from "../operations/move/move.js";
import type { OperatorCommand } from "./cli/command.js";
import { EXIT } from "./cli/exit.js";
import { formatTable, note, print, withProgress } from "./cli/output.js";

const HELP = `
Copies the installation in the settings (DATABASE_URL or DATA_DIR) to the other engine: everything, including ids, keys,
secrets and the search index. The source is never changed. The destination must be empty, or contain part of an
interrupted move, which starts over. At the end both are compared. Stop the servers first: an embedded
directory in use is refused, and so is a PostgreSQL database with Minutes sessions. Instead of in the URL, the password can
be in PGPASSWORD.`;

/** Adds `minutes move`. */
export function addMoveCommands(program: OperatorCommand): void {
  program
    .add("move", "copy the installation to PostgreSQL, or from PostgreSQL into a directory")
    .requiredOption("--to <address>", "URL of an empty PostgreSQL database, or an empty directory")
    .option("--force", "move even if servers use the source, or secrets can't be decrypted")
    .addHelpText("after", HELP)
    .action(async ({ to, force, ...options }) => {
      const { moveInstallation } = await import("../operations/move/move.js");
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
