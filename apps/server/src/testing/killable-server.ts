import { setTimeout as sleep } from "node:timers/promises";
import { call, readPayload } from "@minutes/testing";
import type { TestServer } from "./index.js";
import { type ServerProcess, type Settings, startProcess } from "./process.js";

/** Settings of a server that a model calls without limits. */
export const UNLIMITED: Settings = {
  RATE_LIMIT_PER_MINUTE: "1000000000",
  INGEST_LIMIT_PER_MINUTE: "1000000000",
  DEMO: "off",
};

/** Returns functions that call a server process as a test server's do. */
export const callsTo = (url: string): Pick<TestServer, "call" | "data"> => ({
  call: (key, route, input, options) => call(url, key, route, input, options),
  data: async (key, route, input) => readPayload(await call(url, key, route, input)),
});

/** A server process that a test kills and starts again. */
export class KillableServer {
  #running: ServerProcess | undefined;
  #kills = 0;
  readonly #settings: Settings;
  readonly #options: readonly string[];

  constructor(settings: Settings, ...options: readonly string[]) {
    this.#settings = settings;
    this.#options = options;
  }

  get kills(): number {
    return this.#kills;
  }

  /** Starts the process. @returns its URL */
  async start(): Promise<string> {
    const server = await startProcess(this.#settings, ...this.#options);
    this.#running = server;
    return server.url;
  }

  /** Kills the process within 40 ms and starts another. @returns the new one's URL */
  async kill(): Promise<string> {
    this.#kills += 1;
    await sleep(Math.random() * 40);
    await this.stop("SIGKILL");
    return this.start();
  }

  async stop(signal?: NodeJS.Signals): Promise<void> {
    await this.#running?.stop(signal);
  }
}
