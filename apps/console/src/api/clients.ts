import type { ConsoleRouter, IdentityRouter, SettingsRouter } from "@minutes/core";
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { createTRPCClient } from "@trpc/client";
import { createTRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { whenReachableAgain } from "./connection";
import { isSignedOutPage } from "./offline";
import { toSignInPage } from "./own-address";
import { setRetry } from "./rate-limit";
import { getRetryAfter, getStatus, sessionLink } from "./transport";

/** Goes to the sign-in page when the session has ended, and returns to this page afterwards. */
export function leaveWhenSignedOut(error: unknown): void {
  if (getStatus(error) !== 401 || isSignedOutPage()) return;
  location.assign(toSignInPage());
}

/** Retries calls that did not reach the server or were rate-limited; other refusals are final. */
function shouldRetry(failures: number, error: unknown): boolean {
  const status = getStatus(error);
  return (status === null || status === 429 || status >= 500) && failures < 5;
}

/**
 * Returns the delay before the next retry in ms: the server's Retry-After, or exponential backoff. The page says how long
 * a rate-limited read waits.
 */
function getRetryDelay(failures: number, error: unknown): number {
  const seconds = getRetryAfter(error);
  if (getStatus(error) === 429) setRetry(seconds);
  return seconds * 1000 || Math.min(1000 * 2 ** failures, 30_000);
}

/**
 * Caches answers for a while; refetches when the window gains focus, the connection returns, or a page
 * opens.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: leaveWhenSignedOut }),
  mutationCache: new MutationCache({ onError: leaveWhenSignedOut }),
  defaultOptions: {
    queries: {
      // What was kept is read without a network, too.
      networkMode: "always",
      staleTime: 15_000,
      // While the server can't be reached, the pages read in the last hours are still shown.
      gcTime: 12 * 3_600_000,
      retry: shouldRetry,
      retryDelay: getRetryDelay,
    },
    // A change that can't be sent fails at once. If it waited for the network, closing the page would lose it.
    mutations: { networkMode: "always" },
  },
});
whenReachableAgain(() => void queryClient.refetchQueries({ type: "active" }));

export const meClient = createTRPCClient<ConsoleRouter>({ links: [sessionLink("/console/v1")] });
export const settingsClient = createTRPCClient<SettingsRouter>({ links: [sessionLink("/settings/v1")] });
export const identityClient = createTRPCClient<IdentityRouter>({ links: [sessionLink("/identity/v1")] });

// Prefixes keep answers apart: two routers have procedures of the same name.
/** The meeting pages: the procedures of a personal key, and the transcript turn by turn. */
export const me = createTRPCOptionsProxy<ConsoleRouter, { keyPrefix: true }>({
  client: meClient,
  queryClient,
  keyPrefix: "me",
});
/** Account, keys, webhooks, members, tags, vocabulary, plan. */
export const settings = createTRPCOptionsProxy<SettingsRouter, { keyPrefix: true }>({
  client: settingsClient,
  queryClient,
  keyPrefix: "settings",
});
/** Sign-in, which needs no session. */
export const identity = createTRPCOptionsProxy<IdentityRouter, { keyPrefix: true }>({
  client: identityClient,
  queryClient,
  keyPrefix: "identity",
});
