import { createTRPCClient, type TRPCClient } from "@trpc/client";
import { link } from "./link.js";
import type { ClientOptions } from "./options.js";
import type { MeRouter, WorkspaceRouter } from "./routers.js";

/** A client of the personal key's routes. */
export type MeClient = TRPCClient<MeRouter>;
/** A client of the workspace key's routes. */
export type WorkspaceClient = TRPCClient<WorkspaceRouter>;

/**
 * Creates a client of the personal key's routes, `/v1/me/*`: own and shared meetings.
 * @example
 * const client = createMeClient({ baseUrl: "https://minutes.example.com", apiKey });
 * const { meetings } = await client.meetings.list.query({ limit: 20 });
 */
export const createMeClient = (options: ClientOptions): MeClient =>
  createTRPCClient<MeRouter>({ links: [link("me", options)] });

/**
 * Creates a client of the workspace key's routes, `/v1/workspace/*`: all meetings of the workspace.
 * @example
 * const client = createWorkspaceClient({ baseUrl: "https://minutes.example.com", apiKey });
 * await client.tasks.update.mutate({ taskId, completed: true });
 */
export const createWorkspaceClient = (options: ClientOptions): WorkspaceClient =>
  createTRPCClient<WorkspaceRouter>({ links: [link("workspace", options)] });
