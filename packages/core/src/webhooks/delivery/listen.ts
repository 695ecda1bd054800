import { startLoop } from "@minutes/background";
import type { Connection } from "@minutes/db";
import { DELIVERIES_CHANNEL } from "../../events/index.js";

/**
 * Calls `wake` for new deliveries, and keeps retrying to listen while the database is unavailable.
 * @returns a function that stops it
 */
export function listenForDeliveries(
  connection: Connection,
  wake: () => void,
  onFault: (error: unknown) => void,
): () => Promise<void> {
  let stopListening: (() => Promise<void>) | undefined;
  const loop = startLoop({
    onFault,
    step: async () => {
      stopListening ??= await connection.listen(DELIVERIES_CHANNEL, wake);
      return Number.POSITIVE_INFINITY;
    },
  });
  return async () => {
    await loop.stop();
    await stopListening?.();
  };
}
