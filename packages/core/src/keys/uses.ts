import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";

const { apiKeys } = schema;

/** Milliseconds for which uses are collected. */
const INTERVAL = 1_000;

/**
 * Stores the times of keys' last use, at most once a minute for each key. The uses of a second are written by one
 * statement. No request waits for it or fails with it; a process that ends loses those of its last second.
 */
export class KeyUses {
  #ids = new Set<string>();

  constructor(
    private readonly db: Database,
    private readonly interval = INTERVAL,
  ) {}

  /** Notes that a key was used whose stored time is more than a minute old. */
  record(keyId: string): void {
    if (this.#ids.size === 0) setTimeout(() => void this.#write().catch(() => {}), this.interval).unref();
    this.#ids.add(keyId);
  }

  async #write(): Promise<void> {
    const ids = [...this.#ids];
    this.#ids = new Set();
    // Another process may write the same keys: what it has locked is left to it.
    await this.db.execute(sql`
      update ${apiKeys} set last_used_at = now() where id in (
        select id from ${apiKeys} where id in ${ids} and coalesce(last_used_at < now() - interval '1 minute', true)
        for update skip locked)`);
  }
}
