import { randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import express, { type Response, type Router } from "express";
import sirv, { type RequestHandler } from "sirv";
import { PAGE_STYLE, writeMark } from "../page-style.js";
import { readPage } from "./page.js";

/** Allows only this site's own files. The component library adds one style element, which has the nonce. */
const writeContentSecurityPolicy = (nonce: string, scripts: string): string =>
  [
    "default-src 'none'",
    `script-src ${scripts}`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "media-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");

const WORKER_POLICY = "default-src 'none'; connect-src 'self'; script-src 'self'";

/**
 * Serves the console's build: hashed assets, cacheable for a year, and the page itself to every browser that requests a
 * page of no other route. Programs, which do not accept HTML, get the API's 404.
 * @param directory the console's build; until it exists, browsers get a page that waits for it
 */
export function serveConsole(directory: string): Router {
  const router = express.Router({ caseSensitive: true });
  const getBuild = createBuildReader(directory);
  router.get(
    ["/assets/*file", "/icon.svg", "/manifest.webmanifest", "/worker.js"],
    (request, response, next) => {
      const build = getBuild();
      if (!build) return next();
      // Without a listener, the error of a file that a build has just removed would end the process.
      response.once("pipe", (file) => file.once("error", () => response.destroy()));
      response.set("X-Content-Type-Options", "nosniff");
      // Of a worker, the policy is that of its own file.
      if (request.path === "/worker.js") response.set("Content-Security-Policy", WORKER_POLICY);
      build.serve(request, response, next);
    },
  );
  router.use((request, response, next) => {
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (!isRead || request.accepts(["json", "html"]) !== "html") return next();
    const nonce = randomBytes(16).toString("base64");
    const build = getBuild();
    if (!build) return sendPage(response, nonce, `'nonce-${nonce}'`, writePreparingPage(nonce));
    const page = build.writePage({ url: request.originalUrl, cookies: request.headers.cookie ?? "", nonce });
    sendPage(response, nonce, "'self'", page);
  });
  return router;
}

function sendPage(response: Response, nonce: string, scripts: string, page: string): void {
  response
    .set({
      "Content-Security-Policy": writeContentSecurityPolicy(nonce, scripts),
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-store",
      // The address of a page has what was searched for.
      "Referrer-Policy": "no-referrer",
      "X-Content-Type-Options": "nosniff",
      "X-Frame-Options": "DENY",
    })
    .send(page);
}

/** A build of the console. */
interface Build {
  /** Time of the build's page, in ms. */
  readonly time: number;
  readonly writePage: ReturnType<typeof readPage>;
  readonly serve: RequestHandler;
}

/** Returns a function that reads the directory's build once, and again when a newer one has replaced it; null without one. */
function createBuildReader(directory: string): () => Build | null {
  const page = join(directory, "index.html");
  let build: Build | null = null;
  return () => {
    const time = statSync(page, { throwIfNoEntry: false })?.mtimeMs;
    if (time === undefined) return null;
    if (build?.time !== time) {
      const serve = sirv(directory, { brotli: true, gzip: true, immutable: true, maxAge: 31_536_000 });
      build = { time, writePage: readPage(readFileSync(page, "utf8")), serve };
    }
    return build;
  };
}

/** Reload interval of the page below, in ms. */
const RELOAD_INTERVAL = 1_000;

/**
 * Writes the page shown while the console is being built. It reloads at its own URL, which keeps the token of a
 * one-time link.
 * @param nonce nonce in the content security policy for its script and style
 */
const writePreparingPage = (nonce: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Preparing the console… · Minutes</title>
    <style nonce="${nonce}">${PAGE_STYLE}</style>
  </head>
  <body>
    <main class="entry">
      <div class="entry-box">
        ${writeMark(32)}
        <h1>Preparing the console…</h1>
        <p>It is built once after an installation or an update. This page opens it when it is ready.</p>
        <p>If nothing happens within two minutes, check the server's terminal. Only <code>pnpm start</code> builds the console in a clone.</p>
      </div>
    </main>
    <script nonce="${nonce}">setTimeout(() => location.reload(), ${RELOAD_INTERVAL})</script>
  </body>
</html>
`;
