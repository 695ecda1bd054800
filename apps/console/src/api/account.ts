import { useSuspenseQuery } from "@tanstack/react-query";
import { settings } from "./clients";

/** Reads the signed-in user and their permissions. */
export const useAccount = () => useSuspenseQuery(settings.account.get.queryOptions({})).data;
