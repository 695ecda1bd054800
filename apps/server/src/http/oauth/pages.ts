import { createHash } from "node:crypto";
import type { Response } from "express";
import { PAGE_STYLE, writeMark } from "../page-style.js";

const STYLE = `${PAGE_STYLE}
form { display: flex; flex-direction: column; gap: 1rem }
fieldset { padding: 0; border: 0 }
legend { margin-bottom: .25rem; padding: 0; font-weight: 600 }
label { display: flex; gap: .625rem; align-items: flex-start; padding-block: .375rem; font-size: .875rem }
input { flex: none; width: 1.125rem; height: 1.125rem; margin: .125rem 0 0; accent-color: var(--primary) }
.note { color: var(--dimmed); font-size: .875rem }
.answers { display: flex; flex-wrap: wrap; gap: .75rem }
button {
  min-height: 36px; padding: 0 1.125rem; border: 1px solid var(--border); border-radius: .5rem; background: var(--body);
  color: var(--text); font: inherit; font-size: .875rem; font-weight: 600; cursor: pointer;
}
button:hover { background: var(--hover) }
button[value="allow"] { border-color: var(--primary); background: var(--primary); color: #fff }
button[value="allow"]:hover { background: #364fc7 }
@media (max-width: 48em) { button { flex: 1; min-height: 44px } label { padding-block: .625rem } }
`;

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** A page with the headers that keep it out of other sites' frames, and run no script. */
export interface SafePage {
  readonly headers: Readonly<Record<string, string>>;
  readonly page: string;
}

/** Sends a page. */
export const sendPage = (response: Response, { headers, page }: SafePage, status = 200): void =>
  void response.status(status).set(headers).send(page);

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes a text for HTML. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (one) => ESCAPES[one] ?? one);

/** Writes a page. @param body HTML @param head further HTML */
export function writePage(title: string, body: string, head = ""): SafePage {
  return {
    headers: {
      "Content-Security-Policy": `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-store",
      // Not "no-referrer", which would hide the origin of the form.
      "Referrer-Policy": "same-origin",
      "X-Content-Type-Options": "nosniff",
      "X-Frame-Options": "DENY",
    },
    page: `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(title)} · Minutes</title>
    ${head}<style>${STYLE}</style>
  </head>
  <body>
    <main class="entry">
      <div class="entry-box">
      ${writeMark(32)}
${body}
      </div>
    </main>
  </body>
</html>
`,
  };
}

/** The way back to an app: its address, and its host or program as the person reads it. */
interface WayBack {
  readonly to: string;
  readonly name: string;
}

/** Writes the page for a connection that can't go on. @param back null if the app's address is not known to be its own */
export const writeProblemPage = (about: string, back: WayBack | null = null): SafePage =>
  writePage(
    "Could not connect",
    `      <h1>Could not connect the app</h1>
      <p class="note">${escapeHtml(about)}</p>
      <p>${back === null ? "Go back to the app and start again." : `<a href="${escapeHtml(back.to)}">Go back to ${escapeHtml(back.name)}</a> only if you just started this there.`}</p>`,
  );

/**
 * Writes the page that leads a browser on after a form. A redirect would be part of the form's submission, which may
 * only lead to this site; the app is at another one.
 */
export const writeRedirectPage = (to: string): SafePage =>
  writePage(
    "Connecting",
    `      <p>Going back to the app… <a href="${escapeHtml(to)}">Continue</a></p>`,
    `<meta http-equiv="refresh" content="0; url=${escapeHtml(to)}">\n    `,
  );
