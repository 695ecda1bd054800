/** Rows per statement: far below the maximum of 65,535 parameters. */
const BATCH = 500;

/** Writes rows in batches of at most 500, one after another. */
export async function writeInBatches<Row>(
  rows: readonly Row[],
  write: (batch: Row[]) => PromiseLike<unknown>,
): Promise<void> {
  for (let at = 0; at < rows.length; at += BATCH) await write(rows.slice(at, at + BATCH));
}
