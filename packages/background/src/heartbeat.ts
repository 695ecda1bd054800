/**
 * Renews a lease three times within its length.
 * @param lease seconds
 * @param onFault called when a renewal failed; the next one tries again.
 * @returns a function that stops it. It waits for a renewal under way, which would otherwise come after what the caller
 *   writes next.
 */
export function startHeartbeat(
  renew: () => Promise<unknown>,
  lease: number,
  onFault: (error: unknown) => void,
): () => Promise<void> {
  let renewal: Promise<unknown> = Promise.resolve();
  const timer = setInterval(
    () => {
      renewal = renewal.then(renew).catch(onFault);
    },
    (lease * 1000) / 3,
  );
  return async () => {
    clearInterval(timer);
    await renewal;
  };
}
