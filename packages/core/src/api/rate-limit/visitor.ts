import { type Database, runNamedStatement } from "@minutes/db";
import { sql } from "drizzle-orm";
import { dropOldest } from "../../lib/drop-oldest.js";
import { ConcurrencyLimit } from "./concurrency-limit.js";
import { countRequest, type Quota, type QuotaRow, toQuota } from "./quota.js";

const countVisit = () => sql`
  with who as (select 'visitor:' || ${sql.placeholder("address")}::text as scope), quota as (${countRequest(sql`who`)})
  select used, reset, retry_after as "retryAfter" from quota`;

/** Counts an unauthenticated request against the quota of its network address. */
async function countVisitorRequest(db: Database, address: string, limit: number): Promise<Quota> {
  const [row] = await runNamedStatement<QuotaRow>(db, "count_visitor", countVisit, { address });
  if (!row) throw new TypeError("The request was not counted.");
  return toQuota(row, limit);
}

/** Requests per minute and network address, which many people can share. */
const VISITOR_LIMIT = 300;
/** Maximum number of remembered addresses over quota: a few megabytes. */
const REMEMBERED = 20_000;
/** Maximum concurrent counting statements, so that visitors can't take the whole pool. */
const COUNTS_AT_ONCE = 4;
const COUNTS_WAITING = 512;

/**
 * Counts unauthenticated requests. An address over its quota costs no query until the quota resets; otherwise anyone
 * could keep the database busy without a credential.
 * @see docs/security.md#limits
 */
export class VisitorGuard {
  readonly #limit = new ConcurrencyLimit(COUNTS_AT_ONCE, COUNTS_WAITING);
  readonly #exceeded = new Map<string, { quota: Quota; until: number }>();

  /**
   * @param limit requests per address and window
   * @param now a monotonic clock in ms
   */
  constructor(
    private readonly db: Database,
    private readonly limit = VISITOR_LIMIT,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Counts a request of an address. @throws ApiError 503 if too many wait to be counted */
  async count(address: string): Promise<Quota> {
    const known = this.#exceeded.get(address);
    if (known) {
      const left = known.until - this.now();
      if (left > 0) return { ...known.quota, retryAfter: Math.max(1, Math.ceil(left / 1_000)) };
      this.#exceeded.delete(address);
    }
    const quota = await this.#limit.run(() => countVisitorRequest(this.db, address, this.limit));
    if (quota.exceeded) this.#remember(address, quota);
    return quota;
  }

  #remember(address: string, quota: Quota): void {
    this.#exceeded.set(address, { quota, until: this.now() + quota.retryAfter * 1_000 });
    dropOldest(this.#exceeded, REMEMBERED);
  }
}
