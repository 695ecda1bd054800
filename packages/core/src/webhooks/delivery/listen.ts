import { setTimeout as sleep } from "node:timers/promises";
import type { Connection } from "@minutes/db";
import { DELIVERIES_CHANNEL } from "../../events/index.js";

/** Milliseconds to wait when the database is away. */
const FAULT_PAUSE = 500;

/**
 * Calls `wake` for new deliveries, and keeps trying to listen while the database is away.
 * @returns a function that stops it.
 */
export function listenForDeliveries(
  connection: Connection,
  wake: () => void,
  onFault: (error: unknown) => void,
): () => Promise<void> {
  let stopping = false;
  const listen = async () => {
    while (!stopping) {
      try {
        return await connection.listen(DELIVERIES_CHANNEL, wake);
      } catch (error) {
        onFault(error);
        await sleep(FAULT_PAUSE);
      }
    }
    return undefined;
  };
  const listening = listen();
  return async () => {
    stopping = true;
    await (await listening)?.();
  };
}
