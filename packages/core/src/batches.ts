/** Rows per INSERT: far below the 65,535 parameters that a statement can have. */
const BATCH = 500;

/** Inserts rows of any number, some at a time. */
export async function inBatches<Row>(
  rows: readonly Row[],
  insert: (batch: Row[]) => PromiseLike<unknown>,
): Promise<void> {
  for (let at = 0; at < rows.length; at += BATCH) await insert(rows.slice(at, at + BATCH));
}
