/** Maximum rows changed per statement, to keep locks short. */
const BATCH = 1_000;

/**
 * Deletes or changes rows in batches of at most 1,000, until a batch is not full.
 * @param changeSome changes at most `limit` rows and resolves to one result per row
 * @returns the number of changed rows
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
