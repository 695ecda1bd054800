import { useSuspenseQuery } from "@tanstack/react-query";
import { queryClient, settings, settingsClient } from "./clients";

const account = settings.account.get.queryOptions({});

/** Reads the signed-in user and their permissions. */
export const useAccount = () => useSuspenseQuery(account).data;

/** Returns the ID of the signed-in user; an empty text on pages for visitors. */
export const readUserId = (): string => queryClient.getQueryData(account.queryKey)?.userId ?? "";

const OTHER =
  "Another account is signed in now, perhaps in another tab. Sign in again with yours to continue.";

/** Requires that a user is still the one who is signed in, before something is done in their name. */
export async function requireSignedIn(userId: string): Promise<void> {
  const { userId: signedIn } = await settingsClient.account.get.query();
  if (signedIn !== userId)
    throw Object.assign(new Error(OTHER), { data: { httpStatus: 403, retryAfter: 0 } });
}
