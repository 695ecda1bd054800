import { ApiError, openPublicLink, requireQuota } from "@minutes/core";
import express, { type Request, type RequestHandler, type Response, type Router } from "express";
import { sendPage } from "../oauth/pages.js";
import { sendError } from "../oauth/serve.js";
import type { AppServices } from "../routes/services.js";
import { toVisitor } from "../routes/session.js";
import { UNKNOWN_LINK, writeMeetingPage, writePasswordPage } from "./page.js";

const PATH = "/s/:token";

/**
 * Serves the page of a meeting to people outside, by the token in the address: whole HTML without script, cookies or session. A
 * link with a password asks for it, and answers the form with the meeting.
 * @see docs/decisions/0376-public-links.md
 */
export function servePublicLinks(dependencies: AppServices): Router {
  const { db, visitors } = dependencies;
  const router = express.Router({ caseSensitive: true });
  const answer = async (request: Request, response: Response): Promise<void> => {
    const visitor = toVisitor(dependencies, request);
    requireQuota(await visitors.count(visitor.address));
    const opened = await openPublicLink(db, String(request.params.token), {
      password: request.method === "POST" ? readPassword(request) : null,
      counts: request.method !== "HEAD",
      visitor,
    });
    if (opened.kind === "none") sendPage(response, UNKNOWN_LINK, 404);
    else if (opened.kind === "password")
      sendPage(response, writePasswordPage(opened.refusal?.message ?? null), opened.refusal?.status);
    else sendPage(response, writeMeetingPage(opened.meeting));
  };
  const handle: RequestHandler = (request, response, next) =>
    answer(request, response).catch((error: unknown) => {
      if (error instanceof ApiError) sendError(response, error);
      else next(error);
    });
  router.get(PATH, handle);
  router.post(PATH, readForm, handle);
  return router;
}

const parseForm = express.urlencoded({ extended: false, limit: "16kb", parameterLimit: 10 });

/** Reads a form. One that can't be read has no password. */
const readForm: RequestHandler = (request, response, next) => parseForm(request, response, () => next());

function readPassword(request: Request): string {
  const { password } = (request.body ?? {}) as { password?: unknown };
  return typeof password === "string" ? password : "";
}
