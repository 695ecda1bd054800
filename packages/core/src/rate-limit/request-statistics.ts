import { type Database, schema } from "@minutes/db";
import { and, asc, gt, inArray, lt, sql } from "drizzle-orm";

const { requestCounts } = schema;

const MINUTE = 60_000;
/** Minutes that are kept and shown. */
const KEPT = 60;
/** Milliseconds between two writes of a process, so that a request costs no statement of its own. */
const INTERVAL = 10_000;

/** Requests of one scope in one minute. */
export interface RequestCount {
  readonly scope: string;
  /** Start of the minute. */
  readonly minute: string;
  readonly count: number;
}

/**
 * Counts the requests of this process by scope and minute, in memory, and adds them to those of all processes every
 * ten seconds. A process that ends loses what it counted since: the counts are for people to read, not for limits.
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

  /** Counts a request. Never throws, and waits for nothing. */
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

  /** Writes what was counted since the last write, after that write. */
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
