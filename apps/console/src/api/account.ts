import { useSuspenseQuery } from "@tanstack/react-query";
import { settings } from "./clients";

/** Reads who is signed in, and what they may do. */
export const useAccount = () => useSuspenseQuery(settings.account.get.queryOptions({})).data;
