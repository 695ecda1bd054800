/** Rows that one statement changes, so that it locks nothing for long. */
const BATCH = 1_000;

/**
 * Deletes or changes rows in statements of at most 1,000 rows, until one finds fewer.
 * @param changeSome changes at most `limit` rows and resolves to what it returns of each
 * @returns how many rows were changed
 */
export async function runInBatches(
  changeSome: (limit: number) => PromiseLike<readonly unknown[]>,
): Promise<number> {
  let total = 0;
  for (;;) {
    const { length } = await changeSome(BATCH);
    total += length;
    if (length < BATCH) return total;
  }
}
