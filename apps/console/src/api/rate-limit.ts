import { useSyncExternalStore } from "react";

/** When refused reads are retried, in ms. */
let retriedAt = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

function tick(): void {
  clearTimeout(timer);
  for (const listener of listeners) listener();
  if (retriedAt > Date.now()) timer = setTimeout(tick, 1000);
}

/** Records the delay, in seconds, after which a rate-limited read is retried. */
export function setRetry(seconds: number): void {
  retriedAt = Math.max(retriedAt, Date.now() + seconds * 1000);
  tick();
}

/** Returns the seconds until rate-limited reads are retried; 0 if none waits. */
export const useRetrySeconds = () =>
  useSyncExternalStore(subscribe, () => Math.max(0, Math.ceil((retriedAt - Date.now()) / 1000)));
