import { useSyncExternalStore } from "react";

/** Milliseconds between two questions whether the server can be reached again. */
const INTERVAL = 3_000;

let reachable = true;
const listeners = new Set<() => void>();
let onRecovery = () => {};

/** Says what to do once the server can be reached again. */
export function whenReachableAgain(act: () => void): void {
  onRecovery = act;
}

/** Notes whether the server answered. While it does not, asks it again and again. */
export function noteReachable(answered: boolean): void {
  if (answered === reachable) return;
  reachable = answered;
  for (const listener of listeners) listener();
  if (answered) onRecovery();
  else askAgain();
}

function askAgain(): void {
  setTimeout(() => {
    fetch("/health", { cache: "no-store" }).then(
      ({ ok }) => (ok ? noteReachable(true) : askAgain()),
      askAgain,
    );
  }, INTERVAL);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Returns false while the server does not answer. */
export const useReachable = () => useSyncExternalStore(subscribe, () => reachable);
