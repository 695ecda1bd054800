import { type Database, execute } from "@minutes/db";
import { sql } from "drizzle-orm";
import { dropOldest } from "../drop-oldest.js";
import { countRequest, type Quota, type QuotaRow, toQuota } from "./quota.js";
import { ConcurrencyLimit } from "./slots.js";

const countVisit = () => sql`
  with who as (select 'visitor:' || ${sql.placeholder("address")}::text as scope), quota as (${countRequest(sql`who`)})
  select used, reset, retry_after as "retryAfter" from quota`;

/** Counts a request of somebody who is not signed in against the quota of their network address. */
async function countVisitorRequest(db: Database, address: string, limit: number): Promise<Quota> {
  const [row] = await execute<QuotaRow>(db, "count_visitor", countVisit, { address });
  if (!row) throw new TypeError("The request was not counted.");
  return toQuota(row, limit);
}

/** Requests per minute of one network address, which many people may share. */
const VISITOR_LIMIT = 300;
/** Addresses over their quota that are remembered: a few megabytes. */
const REMEMBERED = 20_000;
/** Requests of visitors that are counted in the database at once, so that they never take the whole pool. */
const COUNTS_AT_ONCE = 4;
const COUNTS_WAITING = 512;

/**
 * Counts the requests of people who are not signed in. An address that is over its quota costs no query until the quota
 * is reset: otherwise anybody could keep the database busy without a credential.
 * @see docs/security.md#limits
 */
export class VisitorGuard {
  readonly #limit = new ConcurrencyLimit(COUNTS_AT_ONCE, COUNTS_WAITING);
  readonly #exceeded = new Map<string, { quota: Quota; until: number }>();

  /**
   * @param limit Requests of an address per window.
   * @param now Milliseconds of a clock that never goes back.
   */
  constructor(
    private readonly db: Database,
    private readonly limit = VISITOR_LIMIT,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Counts a request of an address. @throws ApiError 503 when too many wait to be counted */
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
