/** A time limit, as long as the work takes. */
interface TimeLimit {
  readonly signal: AbortSignal;
  /** Returns what a promise resolves to, and rejects as soon as the signal aborts. */
  race<T>(promise: Promise<T>): Promise<T>;
  /** Ends the limit. Call it when the work is done. */
  end(): void;
}

/**
 * Creates a signal that aborts with another one, or after a timeout in ms with a `TimeoutError`.
 *
 * A signal alone does not bound a wait: on Node 20, `fetch` can forget it when garbage is collected (nodejs/node#55428,
 * #57736). So race whatever is waited for. A caller that stops within a body cancels it.
 */
export function limitTime(outer: AbortSignal, milliseconds: number): TimeLimit {
  const inner = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    inner.signal.addEventListener("abort", () => reject(inner.signal.reason));
  });
  aborted.catch(() => {});
  const follow = () => inner.abort(outer.reason);
  const timer = setTimeout(
    () => inner.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError")),
    milliseconds,
  ).unref();
  if (outer.aborted) follow();
  else outer.addEventListener("abort", follow);
  return {
    signal: inner.signal,
    race: (promise) => Promise.race([promise, aborted]),
    end: () => {
      clearTimeout(timer);
      outer.removeEventListener("abort", follow);
    },
  };
}
