import type { DigestKind } from "@minutes/contract";
import { ApiError, findDigest, requireQuota, unsubscribe } from "@minutes/core";
import express, { type Router } from "express";
import { sendPage, writePage } from "./oauth/pages.js";
import { sendError } from "./oauth/serve.js";
import type { AppServices } from "./routes/services.js";
import { toVisitor } from "./routes/session.js";

/** What the e-mails are about. */
const ABOUT: Readonly<Record<DigestKind, string>> = {
  meeting: "each of your meetings",
  week: "your tasks and meetings every Monday",
};

/**
 * Serves the link with which the reader of an e-mail about meetings ends them, without signing in: a page that asks, because mail
 * scanners open links, and a `POST` that does it.
 * @see https://www.rfc-editor.org/rfc/rfc8058
 */
export function serveUnsubscribe(dependencies: AppServices): Router {
  const { db, visitors } = dependencies;
  const router = express.Router({ caseSensitive: true });
  for (const method of ["get", "post"] as const)
    router[method]("/unsubscribe/:token", async (request, response, next) => {
      try {
        requireQuota(await visitors.count(toVisitor(dependencies, request).address));
        const { token } = request.params;
        const kind = await (method === "post" ? unsubscribe : findDigest)(db, token);
        if (!kind) return sendPage(response, UNKNOWN, 404);
        sendPage(response, method === "post" ? writeDone(kind) : writeQuestion(kind));
      } catch (error) {
        if (error instanceof ApiError) sendError(response, error);
        else next(error);
      }
    });
  return router;
}

const writeQuestion = (kind: DigestKind) =>
  writePage(
    "End these e-mails?",
    `      <h1>End these e-mails?</h1>
      <p>You get an e-mail about ${ABOUT[kind]}.</p>
      <form method="post"><div class="answers"><button>End them</button></div></form>`,
  );

const writeDone = (kind: DigestKind) =>
  writePage(
    "E-mails ended",
    `      <h1>E-mails ended</h1>
      <p>You no longer get e-mails about ${ABOUT[kind]}. You can turn them on again on your account's page.</p>`,
  );

const UNKNOWN = writePage(
  "Link expired",
  `      <h1>This link has expired</h1>
      <p>Sign in to end e-mails on your account's page.</p>`,
);
