import { useSyncExternalStore } from "react";

/** Interval at which an unreachable server is polled, in ms. */
const INTERVAL = 3_000;
/** Minimum time between two reloads after a missing script, in ms. */
const RELOAD_PAUSE = 60_000;
const RELOADED_AT = "reloaded-at";

let reachable = true;
const listeners = new Set<() => void>();
let onRecovery = () => {};

/** Sets what to do once the server can be reached again. */
export function whenReachableAgain(act: () => void): void {
  onRecovery = act;
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Reads the whole answer: an unread one keeps its connection busy. */
async function isHealthy(): Promise<boolean> {
  try {
    const answer = await fetch("/health", { cache: "no-store" });
    await answer.text();
    return answer.ok;
  } catch {
    return false;
  }
}

/** Records whether the server answered, and polls it until it does. */
export function setReachable(answered: boolean): void {
  if (answered === reachable) return;
  reachable = answered;
  for (const listener of listeners) listener();
  if (answered) onRecovery();
  else setTimeout(poll, INTERVAL);
}

async function poll(): Promise<void> {
  if (reachable) return;
  if (await isHealthy()) setReachable(true);
  else setTimeout(poll, INTERVAL);
}

/** Returns false while the server does not answer. */
export const useReachable = () => useSyncExternalStore(subscribe, () => reachable);

/** Resolves once a server that did not answer does. */
const waitUntilReachable = () =>
  new Promise<void>((done) => {
    if (reachable) return done();
    const unsubscribe = subscribe(() => {
      if (!reachable) return;
      unsubscribe();
      done();
    });
  });

/** Asks whether the server can be reached, and resolves once it can. */
export async function untilReachable(): Promise<void> {
  if (await isHealthy()) return;
  setReachable(false);
  await waitUntilReachable();
}

/** Scripts that can't be loaded before the server can be reached. */
const waiting = new Set<() => Promise<unknown>>();

/** Returns true while a script waits for the server. */
export const useWaiting = (load: () => Promise<unknown>) =>
  useSyncExternalStore(subscribe, () => waiting.has(load));

async function wait(load: () => Promise<unknown>): Promise<void> {
  waiting.add(load);
  for (const listener of listeners) listener();
  await waitUntilReachable();
  waiting.delete(load);
}

/**
 * Loads a script once the server can be reached. Asks first, because browsers remember a failed import; the scripts of
 * the first page have just been answered for. If a newer version of the console has replaced the script, reloads the
 * page once.
 */
export async function loadWhenReachable<Module>(load: () => Promise<Module>): Promise<Module> {
  if (document.readyState === "complete" && !(await isHealthy())) {
    setReachable(false);
    // The service worker may have kept the script.
    if (navigator.serviceWorker?.controller) {
      const kept = await load().catch(() => null);
      if (kept) return kept;
    }
    await wait(load);
  }
  try {
    return await load();
  } catch (error) {
    if (Date.now() - Number(sessionStorage.getItem(RELOADED_AT) ?? 0) < RELOAD_PAUSE) throw error;
    await untilReachable();
    sessionStorage.setItem(RELOADED_AT, String(Date.now()));
    location.reload();
    return new Promise(() => {});
  }
}
