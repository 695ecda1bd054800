import { createServer } from "node:http";
import type { Config } from "../../config/config.js";
import { toServerUrl } from "../../config/public-url.js";
import { askServer } from "../operator/ask-server.js";
import { type Check, fail, ok } from "./check.js";

type Address = Pick<Config, "HOST" | "PORT">;

/** The user of PORT on HOST: nobody, a Minutes server, or another program; or why it can't be used. */
export type PortUser = "nobody" | "minutes" | "other" | { readonly error: string };

/** Tries to listen on the address, and identifies an existing listener. */
export async function findPortUser({ HOST, PORT }: Address): Promise<PortUser> {
  const code = await new Promise<string | null>((done) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => done(error.code ?? "unknown"));
    server.listen(PORT, HOST, () => server.close(() => done(null)));
  });
  if (code === null) return "nobody";
  if (code !== "EADDRINUSE") return { error: code };
  const health = await askServer(toServerUrl(HOST, PORT), "/health");
  return health?.status === "ok" || health?.status === "starting" ? "minutes" : "other";
}

/**
 * Checks that PORT is free or used by Minutes.
 * @param prefix begins the names of the two settings, such as `METRICS_`
 */
export function checkPort({ HOST, PORT }: Address, user: PortUser, prefix = ""): Check {
  const name = prefix === "" ? "Port" : "Metrics port";
  if (user === "nobody") return ok(name, `${PORT} on ${HOST} is free.`);
  if (user === "minutes") return ok(name, `Minutes answers on ${toServerUrl(HOST, PORT)}.`);
  return user === "other"
    ? fail(name, `${PORT} on ${HOST} is in use by another program: stop it, or choose another ${prefix}PORT.`)
    : fail(
        name,
        `can't listen on ${PORT} on ${HOST} (${user.error}): choose another ${prefix}HOST or ${prefix}PORT.`,
      );
}

/** Checks that METRICS_PORT, if it is set, is free for a server that does not run yet. */
export async function checkMetricsPort({ METRICS_HOST, METRICS_PORT }: Config): Promise<Check[]> {
  if (METRICS_PORT === undefined) return [];
  const address = { HOST: METRICS_HOST, PORT: METRICS_PORT };
  return [checkPort(address, await findPortUser(address), "METRICS_")];
}
