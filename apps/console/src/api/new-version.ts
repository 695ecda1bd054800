/** Milliseconds within which the page is not loaded again a second time. */
const PAUSE = 60_000;
const STORED = "loaded-again-at";

/** Loads the page again when a script is gone that it needs: the server has a newer console meanwhile. */
export function loadAgainForNewVersion(): void {
  window.addEventListener("vite:preloadError", async () => {
    if (Date.now() - Number(sessionStorage.getItem(STORED) ?? 0) < PAUSE) return;
    // While the connection is lost, what is shown is better than the browser's own error.
    const reached = await fetch("/health").then(
      ({ ok }) => ok,
      () => false,
    );
    if (!reached) return;
    sessionStorage.setItem(STORED, String(Date.now()));
    location.reload();
  });
}
