import { useSuspenseQuery } from "@tanstack/react-query";
import { queryClient, settings, settingsClient } from "./clients";

const account = settings.account.get.queryOptions({});

/** Reads the signed-in user and their permissions. */
export const useAccount = () => useSuspenseQuery(account).data;

/** Returns the ID of the signed-in user; an empty text on pages for visitors. */
export const readUserId = (): string => queryClient.getQueryData(account.queryKey)?.userId ?? "";

/** Fails if the session ended, or if another account is signed in. */
export const requireSignedIn = async (): Promise<void> => {
  await settingsClient.account.get.query();
};
