import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type OpenApiDocument, openApiDocument } from "@minutes/reference";
import express, { type Response, type Router } from "express";
import { PAGE, SCRIPT, STYLE } from "./page.js";

/** Nothing from elsewhere, nothing inline: not even what the page itself might be made to contain. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const COMMON = {
  "Content-Security-Policy": CONTENT_SECURITY_POLICY,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
};

const viewer = () => dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));

const once = <Value>(make: () => Value): (() => Value) => {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/** `/openapi.json`, and `/docs`, where a person reads it and tries calls with a key; all from this machine. */
export function documents(): Router {
  const router = express.Router();
  const document = once((): OpenApiDocument => openApiDocument());
  const text = once(() => JSON.stringify(document()));

  router.get("/openapi.json", (_request, response) => {
    send(response, "application/json; charset=utf-8", text(), { "Access-Control-Allow-Origin": "*" });
  });
  router.get("/docs", (_request, response) => send(response, "text/html; charset=utf-8", PAGE));
  const files: Readonly<Record<string, readonly [type: string, content: () => string | Buffer]>> = {
    "start.js": ["text/javascript; charset=utf-8", () => SCRIPT],
    "page.css": ["text/css; charset=utf-8", () => STYLE],
    "viewer.js": [
      "text/javascript; charset=utf-8",
      once(() => readFileSync(join(viewer(), "swagger-ui-bundle.js"))),
    ],
    "viewer.css": ["text/css; charset=utf-8", once(() => readFileSync(join(viewer(), "swagger-ui.css")))],
    "icon.png": ["image/png", once(() => readFileSync(join(viewer(), "favicon-32x32.png")))],
  };
  for (const [name, [type, content]] of Object.entries(files)) {
    router.get(`/docs/${name}`, (_request, response) => send(response, type, content()));
  }
  return router;
}

/** Public and the same for everybody; a new version is seen within minutes. */
function send(
  response: Response,
  type: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
): void {
  response
    .set({ ...COMMON, ...headers, "Content-Type": type, "Cache-Control": "public, max-age=300" })
    .send(body);
}
