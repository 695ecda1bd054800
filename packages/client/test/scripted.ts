import { createTRPCClient } from "@trpc/client";
import { type ClientOptions, type FetchLike, type MeRouter, MinutesError } from "../src/index.js";
import { createLink } from "../src/link.js";
import { createSimulatedClock, type SimulatedClock } from "./simulated-clock.js";

type Reply =
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | "broken"
  | "never"
  | "html";

/** Builds the reply of a successful call. */
export const ok = (payload: object = { tags: [] }): Reply => ({
  status: 200,
  body: { result: { data: { json: payload } } },
});
/** Builds the reply of a refused call. */
export const no = (status: number, headers: Record<string, string> = {}): Reply => ({
  status,
  body: { error: `No: ${status}` },
  headers,
});

/** Creates a service that gives these replies one after the other; the last one repeats. */
export function createScript(replies: readonly Reply[]) {
  const requests: Parameters<FetchLike>[] = [];
  const clock: SimulatedClock = createSimulatedClock();
  const fetch: FetchLike = async (url, init) => {
    requests.push([url, init]);
    const reply = replies[Math.min(requests.length, replies.length) - 1];
    if (reply === "never") {
      return new Promise((_, reject) =>
        init.signal.addEventListener("abort", () => reject(init.signal.reason)),
      );
    }
    if (reply === "broken" || reply === undefined) throw new TypeError("fetch failed");
    if (reply === "html") return new Response("<h1>Bad gateway</h1>", { status: 502 });
    return new Response(JSON.stringify(reply.body), reply);
  };
  return { clock, fetch, requests };
}

/** Creates a client of such a service. */
export function createScriptedClient(replies: readonly Reply[], options: Partial<ClientOptions> = {}) {
  const { clock, fetch, requests } = createScript(replies);
  const client = createTRPCClient<MeRouter>({
    links: [
      createLink<MeRouter>(clock, "v1/me", {
        baseUrl: "https://minutes.test/",
        apiKey: "jk_test",
        fetch,
        ...options,
      }),
    ],
  });
  return { client, clock, requests };
}

/** Returns the error of a call that must fail. */
export async function getFailure(call: Promise<unknown>): Promise<MinutesError> {
  const error = await call.then(
    () => new Error("The call succeeded."),
    (error) => error,
  );
  if (!(error instanceof MinutesError)) throw error;
  return error;
}
