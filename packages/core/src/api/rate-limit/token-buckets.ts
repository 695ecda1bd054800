import { dropOldest } from "../../lib/drop-oldest.js";

/** Rate limit per key, such as an address. */
export interface BucketOptions {
  /** Capacity of a bucket. */
  readonly burst: number;
  /** Refill rate per second. */
  readonly perSecond: number;
  /** Maximum number of buckets; the oldest is evicted. */
  readonly buckets: number;
}

interface Bucket {
  tokens: number;
  /** Time in ms at which `tokens` was current. */
  at: number;
}

/** Token buckets by key. A key without a bucket has a full one. */
export class TokenBuckets {
  readonly #buckets = new Map<string, Bucket>();

  constructor(private readonly options: BucketOptions) {}

  /** Takes a token, even from an empty bucket. @param now in ms */
  take(key: string, now: number): void {
    const bucket = this.#refill(key, now) ?? { tokens: this.options.burst, at: now };
    bucket.tokens -= 1;
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    dropOldest(this.#buckets, this.options.buckets);
  }

  /** Returns the whole seconds until the bucket has a token; 0 if it has one. @param now in ms */
  getSecondsUntilToken(key: string, now: number): number {
    const tokens = this.#refill(key, now)?.tokens ?? this.options.burst;
    return tokens >= 1 ? 0 : Math.ceil((1 - tokens) / this.options.perSecond);
  }

  #refill(key: string, now: number): Bucket | undefined {
    const bucket = this.#buckets.get(key);
    if (!bucket) return undefined;
    const gained = (Math.max(0, now - bucket.at) / 1_000) * this.options.perSecond;
    bucket.tokens = Math.min(this.options.burst, bucket.tokens + gained);
    bucket.at = now;
    return bucket;
  }
}
