import { useEffect, useSyncExternalStore } from "react";

/** Answers the calls that wait for the person to sign in again; null while none does. */
let answer: ((signedIn: boolean) => void) | null = null;
let asked: Promise<boolean> | null = null;
/** Number of places that show the question. */
let places = 0;
const listeners = new Set<() => void>();

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
const notify = () => {
  for (const listener of listeners) listener();
};

/**
 * Asks the person to sign in again without leaving the page, once for all calls that wait. Resolves to false if they don't, and
 * on pages that have no place to ask.
 */
export function askToSignIn(): Promise<boolean> {
  if (places === 0) return Promise.resolve(false);
  asked ??= new Promise((resolve) => {
    answer = resolve;
    notify();
  });
  return asked;
}

/** Ends the question. */
export function endSignIn(signedIn: boolean): void {
  answer?.(signedIn);
  answer = null;
  asked = null;
  notify();
}

/** Returns true while the person is asked. */
export const useSignInQuestion = () => useSyncExternalStore(subscribe, () => answer !== null);

/** Declares that the component shows the question. */
export const usePlaceToAsk = () =>
  useEffect(() => {
    places += 1;
    return () => {
      places -= 1;
    };
  }, []);
