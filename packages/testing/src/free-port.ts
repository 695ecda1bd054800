import { once } from "node:events";
import { createServer } from "node:net";

/** Ports below those from which a system takes one for a connection, or for a listener on port 0. */
const PORTS = { first: 20_000, last: 32_000 };

/**
 * Returns a port on which nothing listens, for programs that can't take port 0. Only another caller that draws the same
 * number can take it before the program does.
 */
export async function findFreePort(): Promise<number> {
  const port = PORTS.first + Math.floor(Math.random() * (PORTS.last - PORTS.first));
  const probe = createServer().listen(port, "127.0.0.1");
  const isFree = await once(probe, "listening").then(
    () => true,
    () => false,
  );
  if (!isFree) return findFreePort();
  probe.close();
  await once(probe, "close");
  return port;
}
