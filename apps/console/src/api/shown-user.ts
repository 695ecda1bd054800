import { useSyncExternalStore } from "react";

/** The ID of the user that this page shows; null before it is known, and on pages for visitors. */
let userId: string | null = null;
/** True if the server refused a call because another account is signed in. */
let isOther = false;
const listeners = new Set<() => void>();

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Sets the user that this page shows. */
export const setShownUser = (id: string): void => {
  userId = id;
};

/** Returns the header with which the server refuses a call of this page once another account is signed in. */
export const getUserHeader = (): Record<string, string> => (userId === null ? {} : { "x-user-id": userId });

/** Records whether the server refused a call for that reason. */
export function setOtherAccount(other: boolean): void {
  isOther = other;
  for (const listener of listeners) listener();
}

/** Returns true after such a refusal. */
export const useOtherAccount = () => useSyncExternalStore(subscribe, () => isOther);
