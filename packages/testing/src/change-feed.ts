import type { Database } from "@minutes/db";
import { sql } from "drizzle-orm";
import { waitFor } from "./wait-for.js";

/**
 * Waits until the change feed shows everything committed so far. A transaction of another suite on the same server can
 * hold it back.
 */
export async function waitForFeed(db: Database): Promise<void> {
  const read = async (number: string) => {
    const [row] = await db
      .select({ number: sql<string>`${sql.raw(number)}::text` })
      .from(sql`(values (1)) one`);
    return BigInt(row?.number ?? 0);
  };
  const own = await read("transaction_number()");
  await waitFor(async () => {
    if ((await read("ended_transactions()")) <= own) throw new Error("older transactions still run");
  });
}
