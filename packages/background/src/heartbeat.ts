/**
 * Renews a lease three times per lease length.
 * @param lease length of the lease in seconds
 * @param onFault called when a renewal failed; the next one is attempted on schedule
 * @returns a function that stops renewing. It waits for a renewal in flight, which could otherwise overwrite the
 * caller's next write.
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
