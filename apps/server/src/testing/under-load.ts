import { addPeople, type Installation } from "./people.js";
import { type ServerProcess, type Settings, startProcess } from "./process.js";
import { type Clients, startTraffic, type Traffic } from "./traffic.js";

/** A server process under load, while a test disturbs something it depends on. */
export interface LoadedServer {
  readonly people: Installation;
  readonly server: ServerProcess & { readonly url: string };
  readonly traffic: Traffic;
  /** Returns true if the process has ended. */
  hasExited(): boolean;
}

/**
 * Creates an installation, starts a server on it without quotas, and starts clients.
 * @param place location of the data
 * @param more additional settings of the server
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
