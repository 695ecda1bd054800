import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import express, { type Response, type Router } from "express";
import sirv from "sirv";

/** Replaced in index.html by the nonce of each answer. */
const NONCE = "__CSP_NONCE__";

/** Replaced in index.html by links to what the page that is asked for needs first. */
const PRELOADS = "<!-- preloads -->";

/** Replaced in index.html by what the page shows before its scripts run. */
const FRAME = "<!-- frame -->";

/** What a page shows and needs first, as the console's build lists it. */
interface FirstPage {
  readonly scripts: readonly string[];
  /** Addresses of the API; `{id}` stands for the id of the page's own address. */
  readonly reads: readonly string[];
  readonly frame: string;
}

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
    sendPage(response, getPage()(request.path, request.originalUrl.includes("?")));
  });
  return router;
}

/** Reads the page of a build. @returns a function that writes the page for an address; filters change what it reads */
function readPage(directory: string): (path: string, hasFilters: boolean) => string {
  const page = readFileSync(join(directory, "index.html"), "utf8");
  const pages = new Map(
    Object.entries<FirstPage>(JSON.parse(readFileSync(join(directory, "pages.json"), "utf8"))),
  );
  return (path, hasFilters) => {
    const [, section = "", id = ""] = path.split("/");
    const first = pages.get(`/${section}${id ? "/*" : ""}`);
    if (!first) return page;
    const isPlainId = /^[\w-]*$/.test(id);
    const reads = hasFilters || !isPlainId ? [] : first.reads.map((read) => read.replace("%7Bid%7D", id));
    const links = [
      ...first.scripts.map(
        (script) => `<link rel="modulepreload" fetchpriority="low" crossorigin href="${script}">`,
      ),
      ...reads.map((read) => `<link rel="preload" as="fetch" crossorigin href="${read}">`),
    ];
    return page.replace(PRELOADS, links.join("")).replace(FRAME, first.frame);
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
