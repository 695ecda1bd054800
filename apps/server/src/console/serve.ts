import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import express, { type Response, type Router } from "express";
import sirv from "sirv";

/** Replaced in index.html by the nonce of each answer. */
const NONCE = "__CSP_NONCE__";

/** Replaced in index.html by links to the scripts of the page that is asked for. */
const PRELOADS = "<!-- preloads -->";

/** Allows this site's own files alone. The component library adds one style element, which carries the nonce. */
const writeContentSecurityPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");

/**
 * Serves the console from its build: assets whose names carry a hash for a year, and the page itself to every browser
 * that asks for a page no other route has. Programs, which do not accept HTML, get the API's 404.
 * @param directory the console's build; nothing is served while it is absent.
 */
export function serveConsole(directory: string): Router {
  const router = express.Router({ caseSensitive: true });
  const getPage = memoize(() => readPage(directory));
  const isBuilt = () => existsSync(join(directory, "index.html"));
  const files = memoize(() =>
    sirv(directory, { brotli: true, gzip: true, immutable: true, maxAge: 31_536_000 }),
  );
  router.get(["/assets/*file", "/icon.svg"], (request, response, next) => {
    if (!isBuilt()) return next();
    response.set("X-Content-Type-Options", "nosniff");
    files()(request, response, next);
  });
  router.get("/*page", (request, response, next) => {
    if (request.accepts(["json", "html"]) !== "html" || !isBuilt()) return next();
    sendPage(response, getPage()(request.path));
  });
  return router;
}

/** Reads the page of a build. @returns a function that writes the page for an address */
function readPage(directory: string): (path: string) => string {
  const page = readFileSync(join(directory, "index.html"), "utf8");
  const preloads: Readonly<Record<string, readonly string[]>> = JSON.parse(
    readFileSync(join(directory, "preloads.json"), "utf8"),
  );
  const pages = new Map(
    Object.entries(preloads).map(([address, scripts]) => {
      const links = scripts.map((script) => `<link rel="modulepreload" crossorigin href="${script}">`);
      return [address, page.replace(PRELOADS, links.join(""))];
    }),
  );
  return (path) => {
    const [, section = "", id] = path.split("/");
    return pages.get(`/${section}${id ? "/*" : ""}`) ?? page;
  };
}

function sendPage(response: Response, page: string): void {
  const nonce = randomBytes(16).toString("base64");
  response
    .set({
      "Content-Security-Policy": writeContentSecurityPolicy(nonce),
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-store",
      "Referrer-Policy": "same-origin",
      "X-Content-Type-Options": "nosniff",
      "X-Frame-Options": "DENY",
    })
    .send(page.replaceAll(NONCE, nonce));
}

/** Makes a value at its first use. */
function memoize<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
