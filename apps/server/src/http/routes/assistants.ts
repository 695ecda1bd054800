import type { IncomingMessage } from "node:http";
import type { Operation } from "@minutes/contract";
import type { Caller, OAuthScope } from "@minutes/core";
import {
  type Admission,
  ApiError,
  authenticateApp,
  isToken,
  requireValidAppToken,
  type VerifiedKey,
  type WaitOptions,
} from "@minutes/core";
import { getTools, type Tool } from "../../mcp/tools/index.js";
import { RESOURCE_METADATA, toResource } from "../oauth/paths.js";
import {
  createCredentialCheck,
  readKeyOrBearer,
  requireKeyOrBearer,
  toAdmission,
  verifyApiKey,
} from "./api-keys.js";
import type { AppServices } from "./services.js";
import { createWaitOptions } from "./sync.js";

/** A verified assistant. */
export interface AssistantAccess {
  readonly verified: VerifiedKey;
  readonly kind: Caller["kind"];
  readonly admission: Admission;
  readonly waiting: WaitOptions;
  /** Returns false for tools that its user did not allow. */
  readonly allows: (tool: Tool) => boolean;
  /** Requires the right that a message needs. @throws ApiError 403 */
  readonly requireScope: (message: unknown) => void;
}

/** Returns true if a request can sign in: at `/mcp`, unless the operator turned it off. */
const offersSignIn = ({ oauth }: AppServices, { url }: IncomingMessage): boolean =>
  oauth && /^\/mcp\/?(\?|$)/.test(url ?? "");

/** Writes the challenge of a 401 (RFC 6750), which leads assistants to the sign-in (RFC 9728). */
export const writeChallenge = (dependencies: AppServices, request: IncomingMessage): string => {
  const challenge = 'Bearer realm="Minutes"';
  if (!offersSignIn(dependencies, request)) return challenge;
  const sent = readKeyOrBearer(request) === undefined ? "" : ', error="invalid_token"';
  return `${challenge}${sent}, resource_metadata="${dependencies.publicUrl()}${RESOURCE_METADATA}"`;
};

/** Verifies an assistant's API key or, at `/mcp`, the token of a connected app. @throws ApiError 401, 429 */
export async function admitAssistant(
  dependencies: AppServices,
  request: IncomingMessage,
): Promise<AssistantAccess> {
  const credential = requireKeyOrBearer(request);
  if (offersSignIn(dependencies, request) && isToken("mat_", credential))
    return admitApp(dependencies, request, credential);
  const verified = await verifyApiKey(dependencies, request, credential);
  const { kind } = verified.caller;
  return {
    ...{ verified, kind, admission: toAdmission(dependencies, verified, kind) },
    waiting: createWaitOptions(dependencies, request, credential),
    allows: () => true,
    requireScope: () => {},
  };
}

async function admitApp(
  dependencies: AppServices,
  request: IncomingMessage,
  token: string,
): Promise<AssistantAccess> {
  const { db, publicUrl, rateLimit, requests } = dependencies;
  const resource = toResource(publicUrl());
  const check = createCredentialCheck(dependencies, request);
  const { scopes, userId, ...verified } = await authenticateApp(db, token, resource, rateLimit, check);
  requests.count(`personal:${userId}`);
  const { kind } = verified.caller;
  const has = (scope: OAuthScope | null) => scope !== null && scopes.has(scope);
  return {
    ...{ verified, kind, admission: toAdmission(dependencies, verified, kind) },
    waiting: {
      ...createWaitOptions(dependencies, request),
      requireKey: () => requireValidAppToken(db, token),
    },
    allows: (tool) => has(toScope(kind, tool)),
    requireScope: (message) => {
      const needed = findScope(kind, message);
      if (needed !== undefined && !has(needed)) throw createScopeError(publicUrl(), scopes, needed);
    },
  };
}

/** Returns the right that a message of the protocol needs; undefined if none. */
function findScope(kind: Caller["kind"], message: unknown): OAuthScope | null | undefined {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } | null };
  if (method === "resources/read") return kind === "user" ? "meetings:read" : "workspace:read";
  const tool = method === "tools/call" ? getTools(kind).get(String(params?.name)) : undefined;
  return tool && toScope(kind, tool);
}

/**
 * Creates the refusal that tells an assistant which rights to ask for (RFC 6750): also those that it has, because the new
 * connection has no others.
 */
function createScopeError(
  url: string,
  granted: ReadonlySet<OAuthScope>,
  needed: OAuthScope | null,
): ApiError {
  const scope = needed === null ? "" : `, scope="${[...granted, needed].join(" ")}"`;
  return new ApiError("FORBIDDEN", "The user did not allow this app to do that.", {
    "WWW-Authenticate": `Bearer realm="Minutes", error="insufficient_scope"${scope}, resource_metadata="${url}${RESOURCE_METADATA}"`,
  });
}

/** Returns the right that an app needs for a tool; null if apps never have it: all of a workspace is only read. */
function toScope(
  kind: Caller["kind"],
  { operation: { name, type } }: { readonly operation: Pick<Operation, "name" | "type"> },
): OAuthScope | null {
  const write = type === "mutation";
  if (kind === "workspace") return write ? null : "workspace:read";
  if (!write) return "meetings:read";
  if (name === "meetings.delete") return "meetings:delete";
  return name.startsWith("tasks.") ? "tasks:write" : "meetings:write";
}
