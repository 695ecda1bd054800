import type { MeRouter, WorkspaceRouter } from "@minutes/core";
import { createTRPCClient, httpLink, type TRPCClient } from "@trpc/client";
import superjson from "superjson";
import { readableErrors } from "./errors.js";

/** Where the service is, and the key that calls it. */
export interface ClientOptions {
  /** Without the version: `https://minutes.example.com`. */
  readonly baseUrl: string;
  /** A key that starts with `jk_`. */
  readonly apiKey: string;
}

export type MeClient = TRPCClient<MeRouter>;
export type WorkspaceClient = TRPCClient<WorkspaceRouter>;
export { statusOf } from "./errors.js";
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookErrorCode,
  type WebhookEvent,
  type WebhookHeaders,
  WebhookVerificationError,
} from "./webhooks.js";

/** A client of the personal key's routes, `/v1/me/*`: own and shared meetings. */
export const createMeClient = (options: ClientOptions): MeClient =>
  createTRPCClient<MeRouter>({ links: [httpLink(linkOptions(options, "me"))] });

/** A client of the workspace key's routes, `/v1/workspace/*`: all meetings of the workspace. */
export const createWorkspaceClient = (options: ClientOptions): WorkspaceClient =>
  createTRPCClient<WorkspaceRouter>({ links: [httpLink(linkOptions(options, "workspace"))] });

const linkOptions = ({ baseUrl, apiKey }: ClientOptions, routes: "me" | "workspace") => ({
  url: `${baseUrl.replace(/\/+$/, "")}/v1/${routes}`,
  headers: { "x-api-key": apiKey },
  transformer: superjson,
  fetch: (input: Parameters<typeof fetch>[0], init?: object) => readableErrors(input, init),
});
