import type { IncomingMessage } from "node:http";
import {
  ApiError,
  COMMON_HEADERS,
  OAUTH_SCOPES,
  parseScopes,
  requireQuota,
  toErrorBody,
  toErrorResponse,
  VisitorGuard,
} from "@minutes/core";
import express, { type Request, type RequestHandler, type Response, type Router } from "express";
import type { AppServices } from "../routes/services.js";
import { toVisitor } from "../routes/session.js";
import { serveConsent } from "./consent.js";
import { OAUTH_PATHS, RESOURCE_METADATA, toResource } from "./paths.js";
import { createProvider, type OAuthServer } from "./provider.js";

/** Registrations, and documents to fetch, per minute of a network address. */
const REGISTRATIONS = 10;

/** Authorization requests per minute of a network address: each stores its parameters for 15 minutes. */
const STARTS = 30;

/** Maximum characters of an authorization request. */
const START_LENGTH = 4_096;

/** Serves sign-in for assistants: metadata, registration, consent, tokens and revocation. Nothing if it is off. */
export function serveOAuth(dependencies: AppServices): Router {
  const { db, publicUrl, visitors, onFault, oauth } = dependencies;
  const router = express.Router({ caseSensitive: true, strict: true });
  if (!oauth) return router;
  const registrations = new VisitorGuard(db, REGISTRATIONS);
  const starts = new VisitorGuard(db, STARTS);
  const countRegistration = (request: IncomingMessage) =>
    registrations.count(`register ${toVisitor(dependencies, request).address}`);
  let created: Promise<OAuthServer> | undefined;
  const getServer = (): Promise<OAuthServer> => {
    created ??= createProvider(dependencies, async (request) => !(await countRegistration(request)).exceeded);
    return created;
  };

  const answer =
    (work: (request: Request, response: Response) => Promise<void>): RequestHandler =>
    async (request, response) => {
      try {
        requireQuota(await visitors.count(toVisitor(dependencies, request).address));
        if (request.path === OAUTH_PATHS.register) requireQuota(await countRegistration(request));
        await work(request, response);
      } catch (error) {
        if (!(error instanceof ApiError)) onFault(error, request);
        sendError(response, error);
      }
    };

  router.get(RESOURCE_METADATA, (_request, response) => {
    response
      .set({ ...COMMON_HEADERS, "Access-Control-Allow-Origin": "*" })
      .json(describeResource(publicUrl()));
  });
  router.all(
    [OAUTH_PATHS.metadata, OAUTH_PATHS.register, OAUTH_PATHS.token, OAUTH_PATHS.revoke],
    answer(async (request, response) => (await getServer()).answer(request, response)),
  );
  router.get(
    [OAUTH_PATHS.authorize, `${OAUTH_PATHS.authorize}/:uid`],
    answer(async (request, response) => {
      if (request.params.uid === undefined) {
        if (request.url.length > START_LENGTH)
          throw new ApiError("BAD_REQUEST", "The address of the request is too long.");
        requireQuota(await starts.count(`authorize ${toVisitor(dependencies, request).address}`));
        request.url = withKnownParameters(request.url);
      }
      (await getServer()).answer(request, response);
    }),
  );
  for (const method of ["get", "post"] as const)
    router[method](
      `${OAUTH_PATHS.consent}/:uid`,
      express.urlencoded({ extended: false, limit: "16kb" }),
      answer(async (request, response) => serveConsent(dependencies, await getServer(), request, response)),
    );
  return router;
}

/** Answers an error as the API does. */
export function sendError(response: Response, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const { status, message, headers } = toErrorResponse(error);
  response
    .status(status)
    .set({ ...COMMON_HEADERS, ...headers })
    .send(toErrorBody(message));
}

/** @see https://www.rfc-editor.org/rfc/rfc9728 */
const describeResource = (url: string) => ({
  resource: toResource(url),
  authorization_servers: [url],
  scopes_supported: OAUTH_SCOPES,
  bearer_methods_supported: ["header"],
  resource_name: "Minutes",
});

/**
 * Reduces the scopes of an authorization request to those that exist: apps ask for `openid` or `offline_access` by habit.
 * An app that names none gets the default, all. Answers are always in the query, as the metadata says.
 */
function withKnownParameters(target: string): string {
  const url = new URL(target, "http://localhost");
  const asked = url.searchParams.getAll("scope");
  const known = parseScopes(asked.join(" "));
  url.searchParams.set("scope", (known.length > 0 ? known : OAUTH_SCOPES).join(" "));
  url.searchParams.delete("response_mode");
  return url.pathname + url.search;
}
