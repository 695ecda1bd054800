import { type ClientOptions, link, type MeRouter } from "@minutes/client";
import { createTRPCClient } from "@trpc/client";
import { createTRPCContext } from "@trpc/tanstack-react-query";

/** Where the service is, and the key. */
export type Connection = Pick<ClientOptions, "baseUrl" | "apiKey">;

/** Hooks and query options, typed by the service's router. */
export const { TRPCProvider, useTRPC } = createTRPCContext<MeRouter>();

/** Creates a tRPC client with the service's link: retries, rate limit and errors come with it. */
export const connect = (connection: Connection) =>
  createTRPCClient<MeRouter>({ links: [link("me", connection)] });
