import type { Command } from "commander";
import { readEnv } from "../env.js";
import { type MoveResult, moveInstallation } from "../move/move.js";
import { EXIT } from "./failure.js";
import { formatTable, note, type Progress, print, withProgress } from "./output.js";
import { addCommand } from "./run.js";

const HELP = `
It copies the installation that the settings name (DATABASE_URL or DATA_DIR) to the other engine: everything, with ids,
keys, secrets and the search index. The source is read and never changed. The destination must be empty, or hold a part of
the same installation from a move that was interrupted: repeat the command, and it goes on. At the end both are compared.
Stop the servers first. An embedded directory in use is refused, and so is a PostgreSQL database with sessions of Minutes.
A password does not have to stand in the address: PGPASSWORD works too.`;

/** Adds `minutes move`. */
export function addMoveCommands(program: Command): void {
  addCommand(program, "move", "copy the installation to PostgreSQL, or from there into a directory")
    .requiredOption("--to <address>", "address of an empty PostgreSQL database, or an empty directory")
    .option("--force", "move although servers use the source, or secrets can't be decrypted")
    .addHelpText("after", HELP)
    .action(async ({ to, force, ...options }) => {
      const result = await moveWithProgress(to, force === true);
      print(options, result, describeResult(result));
      for (const sentence of options.json ? [] : describeEnd(result)) note(sentence);
      if (!result.equal) process.exitCode = EXIT.failed;
    });
}

/** Moves, and shows how many rows are copied. */
async function moveWithProgress(to: string, force: boolean): Promise<MoveResult> {
  let progress: Progress | undefined;
  let done = 0;
  let finish: () => void = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  try {
    return await moveInstallation(
      readEnv(process.env),
      to,
      {
        onBegin: (rows, already) => {
          done = already;
          void withProgress(
            rows,
            "rows, {table}",
            async (shown) => {
              progress = shown;
              shown.update(done);
              await finished;
            },
            { values: { table: "" } },
          );
        },
        onBatch: (table, rows) => {
          done += rows;
          progress?.update({ table });
          progress?.update(done);
        },
        onCompare: (table) => progress?.update({ table: `comparing ${table}` }),
      },
      { force },
    );
  } finally {
    finish();
  }
}

const describeResult = ({ tables }: MoveResult): string[] =>
  formatTable(tables, {
    TABLE: ({ table }) => table,
    ROWS: ({ source }) => source.rows,
    MOVED: ({ destination }) => destination.rows,
    CONTENT: ({ equal }) => (equal ? "equal" : "DIFFERENT"),
  });

/** Says how the move ended and what the operator does next. */
function describeEnd({ equal, resumed, vectors, secrets, next }: MoveResult): string[] {
  return [
    ...(resumed ? ["An interrupted move was continued."] : []),
    ...(equal ? ["The move is complete: both databases hold the same."] : []),
    ...(vectors ? [] : ["The destination has no pgvector: vectors are made again once it has."]),
    `Secrets of webhooks: ${secrets.readable} of ${secrets.secrets} can be decrypted.`,
    ...next,
  ];
}
