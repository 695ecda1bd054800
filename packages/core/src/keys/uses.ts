import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";

const { apiKeys } = schema;

/** Interval between writes, in ms. */
const INTERVAL = 1_000;

/**
 * Stores when keys were last used, at most once a minute per key. One statement writes the uses of a second. Requests
 * neither wait for it nor fail with it; a process that ends loses its last second.
 */
export class KeyUses {
  #ids = new Set<string>();

  constructor(private readonly db: Database) {}

  /** Records the use of a key whose stored time is more than a minute old. */
  record(keyId: string): void {
    if (this.#ids.size === 0) setTimeout(() => void this.#write().catch(() => {}), INTERVAL).unref();
    this.#ids.add(keyId);
  }

  async #write(): Promise<void> {
    const ids = [...this.#ids];
    this.#ids = new Set();
    // Skips keys locked by another process, which writes the same.
    await this.db.execute(sql`
      update ${apiKeys} set last_used_at = now() where id in (
        select id from ${apiKeys} where id in ${ids} and coalesce(last_used_at < now() - interval '1 minute', true)
        for update skip locked)`);
  }
}
