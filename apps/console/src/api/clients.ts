import type { ConsoleRouter, IdentityRouter, SettingsRouter } from "@minutes/core";
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { createTRPCClient } from "@trpc/client";
import { createTRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { getStatus, sessionLink } from "./transport";

/** Returns true on pages that a person sees only while signed out. */
const isSignedOutPage = () => /^\/(sign-in|setup|invitation)/.test(location.pathname);

/** Leaves for the sign-in page once the session is over, and comes back to this page afterwards. */
function leaveWhenSignedOut(error: unknown): void {
  if (getStatus(error) !== 401 || isSignedOutPage()) return;
  location.assign(`/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`);
}

/** Keeps what was fetched for a while; asks again when the window gets the focus or the connection returns. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: leaveWhenSignedOut }),
  mutationCache: new MutationCache({ onError: leaveWhenSignedOut }),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      // What was refused stays refused; what was not reached may be reached again.
      retry: (failures, error) => (getStatus(error) ?? 503) >= 500 && failures < 5,
    },
  },
});

export const meClient = createTRPCClient<ConsoleRouter>({ links: [sessionLink("/console/v1")] });
export const settingsClient = createTRPCClient<SettingsRouter>({ links: [sessionLink("/settings/v1")] });
export const identityClient = createTRPCClient<IdentityRouter>({ links: [sessionLink("/identity/v1")] });

/** The meeting pages: the procedures of a personal key, and the transcript turn by turn. */
export const me = createTRPCOptionsProxy<ConsoleRouter>({ client: meClient, queryClient });
/** Account, keys, webhooks, members, tags, vocabulary, plan. */
export const settings = createTRPCOptionsProxy<SettingsRouter>({ client: settingsClient, queryClient });
/** Sign-in, which needs no session. */
export const identity = createTRPCOptionsProxy<IdentityRouter>({ client: identityClient, queryClient });
