import { resolve } from "node:path";
import type { Config } from "../../config/config.js";
import { getServerUrl } from "../../config/public-url.js";
import { requestOperator } from "./request.js";

type Settings = Pick<Config, "DATABASE_URL" | "DATA_DIR" | "HOST" | "PORT">;

/**
 * Returns the URL of the server that has the data directory open, which can listen on another port than `PORT`. Null if
 * none does, or if it is starting or stopping; always null on PostgreSQL, which several servers can share.
 */
export async function findRunningServer({ DATABASE_URL, DATA_DIR }: Settings): Promise<string | null> {
  if (DATABASE_URL !== undefined) return null;
  const call = { path: "status.address", type: "query", input: {} } as const;
  const answer = await requestOperator(resolve(DATA_DIR), call).catch(() => null);
  return (answer?.data as { url: string | null } | undefined)?.url ?? null;
}

/** Returns the URL of the running server; without one, the URL that `HOST` and `PORT` give the next one. */
export const findServerUrl = async (config: Settings): Promise<string> =>
  (await findRunningServer(config)) ?? getServerUrl(config);
