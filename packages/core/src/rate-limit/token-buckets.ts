import { dropOldest } from "../drop-oldest.js";

/** How fast something may happen per key, such as an address. */
export interface BucketOptions {
  /** Tokens of a full bucket. */
  readonly burst: number;
  /** Tokens that come back every second. */
  readonly perSecond: number;
  /** Buckets that are kept; the oldest is dropped for a new one. */
  readonly buckets: number;
}

interface Bucket {
  tokens: number;
  /** Milliseconds at which `tokens` was right. */
  at: number;
}

/** Token buckets by key. A key without a bucket has a full one. */
export class TokenBuckets {
  readonly #buckets = new Map<string, Bucket>();

  constructor(private readonly options: BucketOptions) {}

  /** Takes a token, also from an empty bucket. @param now Milliseconds. */
  take(key: string, now: number): void {
    const bucket = this.#refill(key, now) ?? { tokens: this.options.burst, at: now };
    bucket.tokens -= 1;
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    dropOldest(this.#buckets, this.options.buckets);
  }

  /** Gives the whole seconds until the bucket has a token again; 0 when it has one. @param now Milliseconds. */
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
