import type { SimilarityState } from "@minutes/search";

/** What `/health` and `/ready` answer. */
interface ServerAnswer {
  readonly status?: unknown;
  readonly search?: SimilarityState;
  readonly forwardedFor?: unknown;
  readonly disk?: unknown;
}

/** Asks a server how it is; null if nothing answers in JSON within two seconds. */
export const askServer = (url: string, path: "/health" | "/ready"): Promise<ServerAnswer | null> =>
  fetch(`${url}${path}`, { signal: AbortSignal.timeout(2_000) })
    .then((response) => response.json() as Promise<ServerAnswer>)
    .catch(() => null);
