import { addPeople, type Installation } from "./people.js";
import { type ServerProcess, type Settings, startProcess } from "./process.js";
import { type Clients, startTraffic, type Traffic } from "./traffic.js";

/** A server process that clients read and write, while a test does something to what it needs. */
export interface LoadedServer {
  readonly people: Installation;
  readonly server: ServerProcess & { readonly url: string };
  readonly traffic: Traffic;
  /** Tells whether the process has ended. */
  hasExited(): boolean;
}

/**
 * Makes an installation, starts a server on it without quotas, and lets clients call it.
 * @param place where the data are
 * @param more settings of the server alone
 */
export async function startUnderLoad(
  place: Settings,
  clients: Clients,
  more: Settings = {},
): Promise<LoadedServer> {
  const people = await addPeople({ ...place, LOG_LEVEL: "silent" });
  const server = await startProcess({
    ...place,
    ...more,
    RATE_LIMIT_PER_MINUTE: "1000000",
    INGEST_LIMIT_PER_MINUTE: "1000000",
  });
  let exited = false;
  void server.ended.then(() => {
    exited = true;
  });
  const traffic = await startTraffic({ ...people, url: server.url }, clients);
  return { people, server, traffic, hasExited: () => exited };
}
