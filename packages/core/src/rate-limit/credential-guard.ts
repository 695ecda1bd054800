import { LIMITS, MESSAGES } from "@minutes/contract";
import { dropOldest } from "../drop-oldest.js";
import { ApiError } from "../errors.js";
import { toAddressKey } from "./address.js";
import { ConcurrencyLimit } from "./slots.js";
import { TokenBuckets } from "./token-buckets.js";

/** How a credential is checked. */
interface CheckOptions {
  /** True for checks that share statements: however many run, they take few connections. */
  readonly batched?: boolean;
}

/** Checks a credential by its hash. @returns undefined when the database knows no such credential. */
export type CredentialCheck = <Row>(
  hash: Uint8Array,
  check: () => PromiseLike<Row | undefined>,
  options?: CheckOptions,
) => PromiseLike<Row | undefined>;

/** Asks the database at once, for callers that are not strangers from the network. */
export const checkWithoutLimits: CredentialCheck = (_hash, check) => check();

export interface CredentialGuardOptions {
  /** Failed authentications of one address, before it has to wait. */
  readonly burst: number;
  /** Failed authentications of one address that are allowed again every second. */
  readonly perSecond: number;
  /** Checks of credentials that are not known to be good which ask the database at once. */
  readonly checksAtOnce: number;
  /** Such checks that wait for one another at most. */
  readonly checksWaiting: number;
  /** Checks of one accepted credential that ask the database at once; further ones wait for one another. */
  readonly checksOfCredential: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

const DEFAULTS: CredentialGuardOptions = {
  burst: LIMITS.failedAuthentications,
  perSecond: LIMITS.failedAuthenticationsPerSecond,
  checksAtOnce: 4,
  checksWaiting: 512,
  checksOfCredential: 4,
  now: () => performance.now(),
};

/** Addresses, accepted and refused credentials that are remembered: a few megabytes. */
const REMEMBERED = 20_000;
/** Milliseconds for which a credential that was refused several times is refused without a query. */
const REFUSED_FOR = 1_000;
/** Refusals before that, so that a key which is enabled again works at once for whoever tries once or twice. */
const REFUSALS = 3;

/**
 * Bounds what credentials that don't exist cost, so that they take nothing from those that do. One guard serves a
 * process, for all route sets. It never decides that a credential is valid: every accepted request asked the database.
 *
 * - A credential that the database has accepted before goes straight to it, whatever its address did. Unless checks are
 *   batched, only a few of one credential run at once, so that whoever sends more than their quota allows doesn't take
 *   the whole pool.
 * - Others wait for one of a few slots, and are answered 429 while their address has too many failures.
 * - One that was just refused three times is refused without a query for a second.
 *
 * @see docs/security.md#limits
 */
export class CredentialGuard {
  readonly #options: CredentialGuardOptions;
  readonly #failures: TokenBuckets;
  readonly #slots: ConcurrencyLimit;
  readonly #accepted = new Set<string>();
  /** Checks under way, by accepted credential. */
  readonly #running = new Map<string, ConcurrencyLimit>();
  readonly #refused = new Map<string, { count: number; since: number }>();

  constructor(options: Partial<CredentialGuardOptions> = {}) {
    this.#options = { ...DEFAULTS, ...options };
    const { burst, perSecond, checksAtOnce, checksWaiting } = this.#options;
    this.#failures = new TokenBuckets({ burst, perSecond, buckets: REMEMBERED });
    this.#slots = new ConcurrencyLimit(checksAtOnce, checksWaiting);
  }

  /** Makes the check of one request. @param readAddress Tells the client's address; called only where it matters. */
  createCheck(readAddress: () => string | undefined): CredentialCheck {
    return (hash, check, options) => this.#check(readAddress, hash, check, options);
  }

  /** Checks a credential. @throws ApiError 429 while the address has too many failures, 503 while too many checks wait. */
  async #check<Row>(
    readAddress: () => string | undefined,
    hash: Uint8Array,
    check: () => PromiseLike<Row | undefined>,
    { batched = false }: CheckOptions = {},
  ): Promise<Row | undefined> {
    const id = Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString("latin1");
    if (this.#accepted.has(id)) {
      const row = await (batched ? check() : this.#checkAccepted(id, check));
      if (row === undefined) {
        this.#accepted.delete(id);
        this.#fail(id, toAddressKey(readAddress()));
      }
      return row;
    }
    const address = toAddressKey(readAddress());
    this.#requireFewFailures(address);
    if (this.#isRefused(id)) {
      this.#fail(id, address);
      return undefined;
    }
    const row = await this.#slots.run(check);
    if (row === undefined) this.#fail(id, address);
    else {
      this.#accepted.add(id);
      dropOldest(this.#accepted, REMEMBERED);
    }
    return row;
  }

  /** Checks an accepted credential. @throws ApiError 503 while too many of its checks wait */
  async #checkAccepted<Row>(id: string, check: () => PromiseLike<Row | undefined>) {
    const running = this.#running.get(id) ?? this.#limitChecks(id);
    try {
      return await running.run(check);
    } finally {
      if (running.idle) this.#running.delete(id);
    }
  }

  #limitChecks(id: string): ConcurrencyLimit {
    const limit = new ConcurrencyLimit(this.#options.checksOfCredential, this.#options.checksWaiting);
    this.#running.set(id, limit);
    return limit;
  }

  #requireFewFailures(address: string): void {
    const seconds = this.#failures.getSecondsUntilToken(address, this.#options.now());
    if (seconds === 0) return;
    throw new ApiError("TOO_MANY_REQUESTS", MESSAGES.tooManyFailures, {
      "X-RateLimit-Limit": String(this.#options.burst),
      "X-RateLimit-Remaining": "0",
      "X-RateLimit-Reset": String(Math.ceil(Date.now() / 1_000) + seconds),
      "Retry-After": String(seconds),
      // Whoever goes on has to connect again for each further answer.
      Connection: "close",
    });
  }

  #isRefused(id: string): boolean {
    const known = this.#refused.get(id);
    if (!known) return false;
    if (this.#options.now() - known.since < REFUSED_FOR) return known.count >= REFUSALS;
    this.#refused.delete(id);
    return false;
  }

  #fail(id: string, address: string): void {
    const now = this.#options.now();
    this.#failures.take(address, now);
    const known = this.#refused.get(id);
    if (known && now - known.since < REFUSED_FOR) known.count += 1;
    else {
      this.#refused.delete(id);
      this.#refused.set(id, { count: 1, since: now });
      dropOldest(this.#refused, REMEMBERED);
    }
  }
}
