import { once } from "node:events";
import type { Server } from "node:http";
import { ExplainedError } from "@minutes/db";
import type { Config } from "../config/config.js";
import { isLoopback } from "../config/settings/rules.js";

/** Number of ports tried after the default one if `PORT` is not set, so that a second clone can start next to the first. */
const FURTHER_PORTS = 9;

/**
 * Listens on `HOST` and `PORT`. On loopback, where `PORT` is not set and another program uses the default one, listens
 * on the next free port; the start prints it.
 * @param prefix Begins the names of the two settings, such as `METRICS_`.
 * @throws ExplainedError when the address is taken or not allowed
 */
export async function listen(
  server: Server,
  { HOST, PORT }: Pick<Config, "HOST" | "PORT">,
  isPortSet: boolean,
  prefix = "",
): Promise<void> {
  const last = isPortSet || !isLoopback(HOST) ? PORT : PORT + FURTHER_PORTS;
  for (let port = PORT; ; port++) {
    server.listen(port, HOST);
    try {
      await once(server, "listening");
      return;
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (code === "EADDRINUSE" && port < last) continue;
      throw new ExplainedError(describeFault(code, HOST, PORT, prefix));
    }
  }
}

/** Describes why the server can't listen on an address, and what to change. */
function describeFault(code: string, host: string, port: number, prefix: string): string {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is in use, by another program or a Minutes server that runs already. Stop it, or choose another ${prefix}PORT.`,
    EACCES: `Port ${port} requires more privileges than this user has. Choose a ${prefix}PORT above 1023.`,
    EADDRNOTAVAIL: `${prefix}HOST ${host} is not an address of this machine.`,
    ENOTFOUND: `${prefix}HOST ${host} is not a known name.`,
  };
  return reasons[code] ?? `Can't listen on ${host}:${port} (${code}).`;
}
