import type { IncomingMessage } from "node:http";
import {
  ApiError,
  authenticateSession,
  connectApp,
  getAccount,
  getSessionId,
  type OAuthScope,
  parseScopes,
  requireQuota,
  requireRecentSignIn,
  type UserCaller,
} from "@minutes/core";
import type { Request, Response } from "express";
import { createCredentialCheck } from "../routes/api-keys.js";
import type { AppServices } from "../routes/services.js";
import { readSessionCookie, requireSameOrigin } from "../routes/session.js";
import { writeConsentPage } from "./consent-page.js";
import { sendPage, writeProblemPage, writeRedirectPage } from "./pages.js";
import { OAUTH_PATHS, toResource } from "./paths.js";
import type { OAuthServer } from "./provider.js";
import { describeDestination } from "./registration.js";

type Interaction = Awaited<ReturnType<OAuthServer["provider"]["interactionDetails"]>>;

/** Serves the page on which a signed-in person decides about an app, and its answer. */
export async function serveConsent(
  dependencies: AppServices,
  { provider }: OAuthServer,
  request: Request,
  response: Response,
): Promise<void> {
  const { db, publicUrl } = dependencies;
  const url = publicUrl();
  // Found by the cookie of the browser that started: a link to somebody else's consent shows nothing.
  const interaction = await provider.interactionDetails(request, response).catch(() => null);
  if (!interaction || interaction.uid !== request.params.uid)
    return sendPage(
      response,
      writeProblemPage("This request has expired, or was started in another browser."),
      400,
    );
  const user = await findUser(dependencies, request, url);
  if (!user) {
    const to = encodeURIComponent(`${OAUTH_PATHS.consent}/${interaction.uid}`);
    return response.redirect(303, `${url}/sign-in?to=${to}`);
  }
  const { clientId, ...app } = await describeApp(provider, interaction);
  const { email, workspaceName, role } = await getAccount(db, user.userId);
  const scopes = parseScopes(String(interaction.params.scope ?? "")).filter(
    (scope) => scope !== "workspace:read" || role === "admin",
  );
  const account = `${user.userId} ${user.workspaceId}`;
  const page = writeConsentPage({ ...app, email, workspaceName, account, scopes });
  if (request.method !== "POST") return sendPage(response, page);
  requireSameOrigin(request, url);
  // A form that is sent twice connects once.
  if (interaction.result) return sendPage(response, writeRedirectPage(interaction.returnTo));
  // Somebody else signed in since the page was shown, or its reader moved: it is theirs to decide again.
  if (request.body?.account !== account) return sendPage(response, page, 409);
  const granted = readGranted(request.body, scopes);
  const result =
    granted.length === 0
      ? { error: "access_denied", error_description: "The user did not allow it." }
      : {
          login: { accountId: user.userId, remember: false },
          consent: {
            grantId: await connectApp(db, user.userId, {
              ...{ clientId, clientName: app.clientName, clientHost: app.publisher ?? app.destination },
              resource: toResource(url),
              scopes: granted,
            }),
          },
        };
  sendPage(response, writeRedirectPage(await provider.interactionResult(request, response, result)));
}

/** Returns who is signed in; null if nobody is, or not recently: connecting an app creates a credential. */
async function findUser(
  dependencies: AppServices,
  request: IncomingMessage,
  url: string,
): Promise<UserCaller | null> {
  const { db, rateLimit } = dependencies;
  const check = createCredentialCheck(dependencies, request);
  try {
    const cookie = readSessionCookie(request, url);
    const { user, quota } = await authenticateSession(db, cookie, "console", rateLimit, check);
    requireQuota(quota);
    await requireRecentSignIn(db, getSessionId(user));
    return user;
  } catch (error) {
    if (error instanceof ApiError && ["UNAUTHORIZED", "FORBIDDEN"].includes(error.code)) return null;
    throw error;
  }
}

/** Describes the app of an authorization request, as the person reads it. */
async function describeApp(provider: OAuthServer["provider"], { params }: Interaction) {
  const clientId = String(params.client_id);
  // The library caches the document of an app that has one; if it can't be read again, its address has to do.
  const client = await provider.Client.find(clientId).catch(() => undefined);
  return {
    clientId,
    clientName: client?.clientName ?? clientId,
    publisher: clientId.startsWith("https://") ? new URL(clientId).host : null,
    destination: describeDestination(String(params.redirect_uri)),
  };
}

/** Reads the rights that the person gave; none if they refused. */
function readGranted(
  form: Readonly<Record<string, unknown>> = {},
  offered: readonly OAuthScope[],
): OAuthScope[] {
  if (form.answer !== "allow") return [];
  const ofWorkspace = form.access === "workspace";
  const chosen: unknown[] = ofWorkspace ? ["workspace:read"] : [form.scope].flat();
  return offered.filter((scope) => chosen.includes(scope) && (scope === "workspace:read") === ofWorkspace);
}
