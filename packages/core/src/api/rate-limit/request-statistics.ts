import { type Database, schema } from "@minutes/db";
import { and, asc, gt, inArray, lt, sql } from "drizzle-orm";

const { requestCounts } = schema;

const MINUTE = 60_000;
/** Number of minutes kept and shown. */
const KEPT = 60;
/** Interval between a process's writes in ms, so that requests need no statement of their own. */
const INTERVAL = 10_000;

/** Requests of one scope in one minute. */
export interface RequestCount {
  readonly scope: string;
  /** Start of the minute. */
  readonly minute: string;
  readonly count: number;
}

/**
 * Counts this process's requests per scope and minute in memory, and adds them to the shared counts every ten seconds.
 * A process that ends loses its unwritten counts: they are for display, not for limits.
 */
export class RequestStatistics {
  #counts = new Map<string, RequestCount>();
  #writtenAt: number;
  /** Settles when the last write has ended. */
  #lastWrite: Promise<void> = Promise.resolve();

  constructor(
    private readonly db: Database,
    private readonly now: () => number = Date.now,
  ) {
    this.#writtenAt = now();
  }

  /** Counts a request. Never throws or waits. */
  count(scope: string): void {
    const now = this.now();
    const minute = new Date(now - (now % MINUTE)).toISOString();
    const key = `${minute} ${scope}`;
    this.#counts.set(key, { scope, minute, count: (this.#counts.get(key)?.count ?? 0) + 1 });
    // Counts that can't be written now are dropped.
    if (now - this.#writtenAt >= INTERVAL) void this.#write().catch(() => {});
  }

  /** Lists the minutes of the last hour in which the scopes had requests, oldest first. */
  async list(scopes: readonly string[]): Promise<RequestCount[]> {
    await this.#write();
    const since = new Date(this.now() - KEPT * MINUTE).toISOString();
    return this.db
      .select()
      .from(requestCounts)
      .where(and(inArray(requestCounts.scope, [...scopes]), gt(requestCounts.minute, since)))
      .orderBy(asc(requestCounts.minute));
  }

  /** Writes the counts since the last write, after that write has ended. */
  #write(): Promise<void> {
    const counts = [...this.#counts.values()];
    this.#counts = new Map();
    this.#writtenAt = this.now();
    this.#lastWrite = this.#lastWrite.catch(() => {}).then(() => this.#store(counts));
    return this.#lastWrite;
  }

  async #store(counts: RequestCount[]): Promise<void> {
    if (counts.length === 0) return;
    await this.db
      .insert(requestCounts)
      .values(counts)
      .onConflictDoUpdate({
        target: [requestCounts.scope, requestCounts.minute],
        set: { count: sql`${requestCounts.count} + excluded.count` },
      });
    const oldest = new Date(this.now() - KEPT * MINUTE).toISOString();
    await this.db.delete(requestCounts).where(lt(requestCounts.minute, oldest));
  }
}
