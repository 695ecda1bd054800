import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { buildOpenApiDocument } from "@minutes/reference";
import express, { type Router } from "express";
import { ICON } from "../page-style.js";
import { toOwnUrl, writeHomePage, writeHomeText } from "./home.js";
import { REFERENCE_PAGE, REFERENCE_SCRIPT, REFERENCE_STYLE } from "./page.js";
import { createDocument, type Document, sendDocument } from "./respond.js";

const HTML = "text/html; charset=utf-8";
const TEXT = "text/plain; charset=utf-8";
const CSS = "text/css; charset=utf-8";
const SCRIPT_TYPE = "text/javascript; charset=utf-8";

/** Reads a file of the viewer's package. */
const readViewerFile = (name: string): Buffer =>
  readFileSync(join(dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json")), name));

/** Every document by path. Created on first request. */
const DOCUMENTS: Readonly<Record<string, () => Document>> = {
  "/openapi.json": () =>
    createDocument("application/json; charset=utf-8", JSON.stringify(buildOpenApiDocument()), {
      "Access-Control-Allow-Origin": "*",
    }),
  "/docs": () => createDocument(HTML, REFERENCE_PAGE),
  "/docs/start.js": () => createDocument(SCRIPT_TYPE, REFERENCE_SCRIPT),
  "/docs/page.css": () => createDocument(CSS, REFERENCE_STYLE),
  "/docs/viewer.js": () => createDocument(SCRIPT_TYPE, readViewerFile("swagger-ui-bundle.js")),
  "/docs/viewer.css": () => createDocument(CSS, readViewerFile("swagger-ui.css")),
  "/docs/icon.svg": () => createDocument("image/svg+xml", ICON),
};

/** Serves `/openapi.json` and `/docs`, an interactive reference; everything comes from this server. */
export function serveDocuments(): Router {
  const router = express.Router({ caseSensitive: true });
  for (const [path, create] of Object.entries(DOCUMENTS)) {
    let document: Document | undefined;
    router.get(path, (_request, response) => {
      document ??= create();
      sendDocument(response, document);
    });
  }
  return router;
}

/** Serves a start page at `/` to browsers, and a few lines of text to curl. */
export function serveHome(): Router {
  const router = express.Router({ caseSensitive: true });
  router.get("/", (request, response, next) => {
    const url = toOwnUrl(request.protocol, request.headers.host);
    const vary = { Vary: "Accept" };
    const type = request.accepts(["text", "json", "html"]);
    if (type === "html") sendDocument(response, createDocument(HTML, writeHomePage(url), vary));
    else if (type === "text") sendDocument(response, createDocument(TEXT, writeHomeText(url), vary));
    // Programs that want JSON get that of an unknown path.
    else next();
  });
  return router;
}
