import { createHash } from "node:crypto";

const STYLE = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { display: grid; min-height: 100vh; margin: 0; place-content: center; padding: 1rem; box-sizing: border-box }
main { max-width: 32rem }
h1 { font-size: 1.5rem; line-height: 1.3; overflow-wrap: anywhere }
fieldset { border: 0; margin: 1rem 0; padding: 0 }
legend { font-weight: 600; padding: 0 }
label { display: block; padding: .25rem 0 }
.within { padding-inline-start: 1.75rem }
.note { opacity: .8; font-size: .9rem; overflow-wrap: anywhere }
button { font: inherit; padding: .5rem 1.25rem; margin-inline-end: .5rem; cursor: pointer }
:focus-visible { outline: 3px solid #1c7ed6; outline-offset: 2px }`;

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** A page with the headers that keep it out of other sites' frames, and run no script. */
export interface SafePage {
  readonly headers: Readonly<Record<string, string>>;
  readonly page: string;
}

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
    <main>
${body}
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
