import { writeMark } from "../page-style.js";

/** A host name or address with an optional port, without characters that are special in HTML or a shell. */
const PLAIN_HOST = /^[a-z0-9.-]+(:\d+)?$|^\[[0-9a-f:]+\](:\d+)?$/i;

/** Returns the URL at which somebody opened `/`. */
export const toOwnUrl = (protocol: string, host: string | undefined): string =>
  host && PLAIN_HOST.test(host) ? `${protocol}://${host}` : "http://localhost:3000";

/** Writes the answer of `/` for curl and other programs that take text. */
export const writeHomeText = (url: string): string =>
  `Minutes stores recorded meetings and serves them over an HTTP API.

  curl -s -H 'x-api-key: jk_…' ${url}/v1/me/meetings.list

Reference: ${url}/docs, for programs ${url}/openapi.json
`;

/** Writes the page at `/` for people, with an example call to its URL. */
export function writeHomePage(url: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Minutes</title>
    <link rel="icon" type="image/svg+xml" href="/docs/icon.svg">
    <link rel="stylesheet" href="/docs/page.css">
  </head>
  <body>
    <main class="entry">
      <div class="entry-box">
        ${writeMark(32)}
        <h1>Minutes</h1>
        <p>This server stores recorded meetings and serves them over an HTTP API.</p>
        <p><a href="/docs">Read the API reference and try it</a></p>
        <h2>The first call</h2>
        <pre tabindex="0"><code>curl -s -H 'x-api-key: jk_…' ${url}/v1/me/meetings.list</code></pre>
        <p>
          The start of the server prints a sample key. <code>pnpm minutes keys create &lt;email&gt;</code> makes one of
          your own.
        </p>
        <p>Descriptions for programs: <a href="/openapi.json">/openapi.json</a></p>
      </div>
    </main>
  </body>
</html>
`;
}
