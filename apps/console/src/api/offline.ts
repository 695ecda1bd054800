/** The cache in which `public/worker.js` keeps answers. */
const ANSWERS = "answers";

/** True on pages that a person sees only while signed out. */
export const isSignedOutPage = () => /^\/(sign-in|setup|invitation)/.test(location.pathname);

/** Removes everything that was kept of what the reader saw. */
export async function forgetAnswers(): Promise<void> {
  // Pages without TLS have no caches.
  await globalThis.caches?.delete(ANSWERS);
}

/** Starts to keep what is read, for reading it offline; on pages for visitors, removes what is left. */
export function keepAnswers(): void {
  if (isSignedOutPage()) void forgetAnswers();
  // After the page, with which it would compete. Private windows may refuse it.
  window.addEventListener("load", () => void navigator.serviceWorker?.register("/worker.js").catch(() => {}));
}
