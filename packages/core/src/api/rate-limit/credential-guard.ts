import { LIMITS, MESSAGES } from "@minutes/contract";
import ipaddr from "ipaddr.js";
import { dropOldest } from "../../lib/drop-oldest.js";
import { ApiError } from "../../lib/errors.js";
import { ConcurrencyLimit, ConcurrencyLimits } from "./concurrency-limit.js";
import { TokenBuckets } from "./token-buckets.js";

/** Number of 16-bit groups of an IPv6 prefix assigned to one customer. */
const CUSTOMER_GROUPS = 4;

/**
 * Returns the key by which a client's failures are counted: its IPv4 address, or the /64 network of its IPv6 address,
 * within which a client can choose any address. Everything else, including no address, shares one key.
 */
export function toAddressKey(text: string | undefined): string {
  if (text === undefined || !ipaddr.isValid(text)) return "unknown";
  const address = ipaddr.process(text);
  return address.kind() === "ipv4"
    ? address.toString()
    : (address as ipaddr.IPv6).parts.slice(0, CUSTOMER_GROUPS).join(":");
}

/** Options of a credential check. */
interface CheckOptions {
  /** True for checks that share statements and so need few connections, however many run. */
  readonly batched?: boolean;
}

/** Checks a credential by its hash. @returns undefined if the database has no such credential */
export type CredentialCheck = <Row>(
  hash: Uint8Array,
  check: () => PromiseLike<Row | undefined>,
  options?: CheckOptions,
) => PromiseLike<Row | undefined>;

/** Queries the database directly, for callers that are not from the network. */
export const checkWithoutLimits: CredentialCheck = (_hash, check) => check();

export interface CredentialGuardOptions {
  /** Failed authentications allowed per address before it is limited. */
  readonly burst: number;
  /** Failed authentications per address that are allowed again each second. */
  readonly perSecond: number;
  /** Maximum concurrent checks of credentials that were not accepted before. */
  readonly checksAtOnce: number;
  /** Maximum number of such checks that wait. */
  readonly checksWaiting: number;
  /** Maximum concurrent checks of one accepted credential; others wait. */
  readonly checksOfCredential: number;
  /** A monotonic clock in ms. */
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

/** Maximum number of remembered addresses, and of accepted and refused credentials: a few megabytes. */
const REMEMBERED = 20_000;
/** Time in ms for which a repeatedly refused credential is refused without a query. */
const REFUSED_FOR = 1_000;
/** Number of queried refusals before that, so a key re-enabled after one or two tries works immediately. */
const REFUSALS = 3;

/**
 * Bounds the cost of invalid credentials, so that valid ones are not affected. One guard per process serves all route
 * sets. It never decides that a credential is valid: every accepted request queries the database.
 *
 * - A previously accepted credential is checked directly, whatever its address did. Unless checks are batched, only a
 *   few checks of one credential run concurrently, so a caller over quota can't take the whole pool.
 * - Others wait for one of a few slots, and get 429 while their address has too many failures.
 * - A credential refused three times in a row is refused without a query for a second.
 *
 * @see docs/security.md#limits
 */
export class CredentialGuard {
  readonly #options: CredentialGuardOptions;
  readonly #failures: TokenBuckets;
  readonly #slots: ConcurrencyLimit;
  readonly #accepted = new Set<string>();
  /** Checks of each accepted credential. */
  readonly #running: ConcurrencyLimits;
  readonly #refused = new Map<string, { count: number; since: number }>();

  constructor(options: Partial<CredentialGuardOptions> = {}) {
    this.#options = { ...DEFAULTS, ...options };
    const { burst, perSecond, checksAtOnce, checksWaiting, checksOfCredential } = this.#options;
    this.#failures = new TokenBuckets({ burst, perSecond, buckets: REMEMBERED });
    this.#slots = new ConcurrencyLimit(checksAtOnce, checksWaiting);
    this.#running = new ConcurrencyLimits(checksOfCredential, checksWaiting);
  }

  /** Creates the check of one request. @param readAddress returns the client's address; called only if needed */
  createCheck(readAddress: () => string | undefined): CredentialCheck {
    return (hash, check, options) => this.#check(readAddress, hash, check, options);
  }

  /** Checks a credential. @throws ApiError 429 while the address has too many failures, 503 if too many checks wait */
  async #check<Row>(
    readAddress: () => string | undefined,
    hash: Uint8Array,
    check: () => PromiseLike<Row | undefined>,
    { batched = false }: CheckOptions = {},
  ): Promise<Row | undefined> {
    const id = Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString("latin1");
    if (this.#accepted.has(id)) {
      const row = await (batched ? check() : this.#running.run(id, check));
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

  #requireFewFailures(address: string): void {
    const seconds = this.#failures.getSecondsUntilToken(address, this.#options.now());
    if (seconds === 0) return;
    throw new ApiError("TOO_MANY_REQUESTS", MESSAGES.tooManyFailures, {
      "X-RateLimit-Limit": String(this.#options.burst),
      "X-RateLimit-Remaining": "0",
      "X-RateLimit-Reset": String(Math.ceil(Date.now() / 1_000) + seconds),
      "Retry-After": String(seconds),
      // Forces a new connection for each further answer.
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
