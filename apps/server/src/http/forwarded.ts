import type { RequestListener } from "node:http";
import type { Logger } from "pino";

/** Detects a proxy in front of a server without TRUST_PROXY. */
export interface ForwardedNotice {
  /** True once a request had an `X-Forwarded-For` that was ignored. */
  readonly seen: () => boolean;
  readonly wrap: (listener: RequestListener) => RequestListener;
}

/**
 * Warns once if a request has `X-Forwarded-For`, which is ignored without TRUST_PROXY: behind a proxy, all clients
 * would share one address and its limits.
 */
export function createForwardedNotice(log: Logger): ForwardedNotice {
  let seen = false;
  return {
    seen: () => seen,
    wrap: (listener) => (request, response) => {
      if (!seen && request.headers["x-forwarded-for"] !== undefined) {
        seen = true;
        log.warn("X-Forwarded-For is ignored: if there is a proxy in front of this server, set TRUST_PROXY");
      }
      listener(request, response);
    },
  };
}
