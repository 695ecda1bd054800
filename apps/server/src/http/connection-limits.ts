/** Resource limits per connection and for all connections. */
export interface ConnectionLimits {
  /** Maximum concurrent connections; another one replaces a connection without a request in progress. */
  readonly connections: number;
  /** Maximum concurrent connections per address, or per /64 network of IPv6; enforced in the same way. */
  readonly perAddress: number;
  /** Maximum concurrent connections without a complete request; beyond that, the oldest are closed. */
  readonly arriving: number;
  /** Timeout for the headers of a request in ms. */
  readonly headers: number;
  /** Time in ms for a client to read the error that ends its connection. */
  readonly grace: number;
  /** Maximum requests per connection whose response is incomplete or unread. */
  readonly unanswered: number;
  /** Timeout in ms of a response that makes no progress because the client does not read it. */
  readonly writeStall: number;
  /** Maximum bytes of all responses that clients have not read yet; beyond that, connections with the most of them end. */
  readonly unread: number;
  /** Idle timeout in ms, longer than the longest deadline of a call. */
  readonly silence: number;
}

export const DEFAULT_CONNECTION_LIMITS: ConnectionLimits = {
  connections: 2_000,
  perAddress: 1_000,
  arriving: 1_000,
  headers: 15_000,
  grace: 1_000,
  unanswered: 4,
  writeStall: 20_000,
  unread: 256 * 1024 * 1024,
  silence: 75_000,
};

/** Limits behind proxies, which hold most connections, each for many clients. */
export const PROXIED_CONNECTION_LIMITS: ConnectionLimits = {
  ...DEFAULT_CONNECTION_LIMITS,
  perAddress: DEFAULT_CONNECTION_LIMITS.connections,
};
