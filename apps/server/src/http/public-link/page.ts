import { createHash } from "node:crypto";
import type { SharedMeeting } from "@minutes/core";
import { escapeHtml, type SafePage } from "../oauth/pages.js";
import { PAGE_STYLE, writeMark } from "../page-style.js";

const STYLE = `${PAGE_STYLE}
.shared { box-sizing: border-box; max-width: 48rem; margin-inline: auto; padding: 2rem 1.25rem 4rem; overflow-wrap: anywhere }
.shared > * { margin-block: 0 1rem }
.shared section { padding-top: .75rem; border-top: 1px solid var(--border) }
.shared :is(h2, h3, h4, h5, h6) { margin-block: 0 .5rem }
.shared :is(h3, h4, h5, h6) { font-size: 1rem; font-weight: 650 }
.shared :is(p, ul, ol, pre, blockquote) { margin-block: 0 .75rem }
.shared pre { white-space: pre-wrap; font: .875rem/1.5 var(--code) }
.shared blockquote { margin-inline: 0; padding-left: 1rem; border-left: 3px solid var(--border) }
.shared table { border-collapse: collapse }
.shared :is(th, td) { padding: .25rem .625rem; border: 1px solid var(--border); text-align: start; vertical-align: top }
.wide { overflow-x: auto }
.note { color: var(--dimmed); font-size: .875rem }
.tasks { padding-left: 0; list-style: none }
.turn b { display: block }
.turn p { white-space: pre-line }
form { display: flex; flex-direction: column; gap: 1rem }
label { display: block; margin-bottom: .25rem; font-size: .875rem; font-weight: 600 }
input, button { box-sizing: border-box; width: 100%; min-height: 44px; border-radius: .5rem; font: inherit }
input { padding: 0 .75rem; border: 1px solid var(--dimmed); background: var(--body); color: var(--text) }
button { border: 1px solid var(--primary); background: var(--primary); color: #fff; font-weight: 600; cursor: pointer }
button:hover { background: #364fc7 }
.refused { color: light-dark(#c92a2a, #ffa8a8); font-size: .875rem }
@media print {
  :root { color-scheme: light }
  .shared { max-width: none; padding: 0 }
  :is(h2, h3, h4, .turn b) { break-after: avoid }
  li, tr { break-inside: avoid }
}
`;

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** Headers of every answer to a public link: no script, no frame, no copy, no index, and no address for other sites. */
const HEADERS = {
  "Content-Security-Policy": `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  "Content-Type": "text/html; charset=utf-8",
  "Cache-Control": "no-store",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "X-Robots-Tag": "noindex, nofollow, noarchive",
};

const writePage = (title: string, main: string): SafePage => ({
  headers: HEADERS,
  page: `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex, nofollow, noarchive">
    <title>${escapeHtml(title)} · Minutes</title>
    <style>${STYLE}</style>
  </head>
  <body>
${main}
  </body>
</html>
`,
});

const writeBox = (title: string, content: string): SafePage =>
  writePage(
    title,
    `    <main class="entry">
      <div class="entry-box">
        ${writeMark(32)}
        <h1>${title}</h1>
        ${content}
      </div>
    </main>`,
  );

/** The answer for every link that shows nothing: unknown, expired, revoked or ended. */
export const UNKNOWN_LINK = writeBox(
  "This link doesn’t work",
  "<p>It has ended, or its address is incomplete. Ask the person who sent it for a new one.</p>",
);

/** Asks for the password of a link. @param refusal why the last one was refused; null for the first */
export const writePasswordPage = (refusal: string | null): SafePage =>
  writeBox(
    "Enter the password",
    `<p>A meeting was shared with you. Its password comes from the person who sent the link.</p>
        <form method="post">
          <div><label for="password">Password</label>
          <input id="password" name="password" type="password" required autocomplete="off"${
            refusal === null ? "" : ' aria-invalid="true" aria-describedby="refused"'
          }></div>
          ${refusal === null ? "" : `<p class="refused" id="refused" role="alert">${escapeHtml(refusal)}</p>`}
          <button>Open</button>
        </form>`,
  );

/** Writes the page of a meeting. */
export function writeMeetingPage(meeting: SharedMeeting): SafePage {
  const { title, owner, speakers, summary, tasks, turns, expiresAt } = meeting;
  const facts = [writeStart(meeting), writeDuration(meeting), speakers.map(escapeHtml).join(", ")];
  const masked = owner === null ? " Names of the people in this meeting are replaced." : "";
  return writePage(
    title,
    `    <main class="shared">
      ${writeMark(32)}
      <h1 dir="auto">${escapeHtml(title)}</h1>
      <p class="note">${facts.filter((fact) => fact !== "").join(" · ")}</p>
      <section>
        <h2>Summary</h2>
        ${summary === "" ? '<p class="note">There is no summary.</p>' : fitSummary(summary)}
      </section>
${tasks.length === 0 ? "" : writeTasks(tasks)}${turns === null || turns.length === 0 ? "" : writeTranscript(turns)}
      <p class="note">${owner === null ? "Shared" : `Shared by ${escapeHtml(owner)}`} until ${writeTime(expiresAt)}.${masked} E-mail addresses and telephone numbers are hidden.</p>
    </main>`,
  );
}

/** Moves the summary's headings below its own, lets wide tables scroll, and blocks run in the direction of their text. */
function fitSummary(html: string): string {
  const highest = [1, 2, 3, 4, 5, 6].find((level) => html.includes(`<h${level}>`)) ?? 3;
  const shift = 3 - highest;
  return html
    .replace(
      /<(\/?)h([1-6])>/g,
      (_, slash: string, level: string) => `<${slash}h${Math.min(Number(level) + shift, 6)}>`,
    )
    .replaceAll("<table>", '<div class="wide" role="group" aria-label="Table" tabindex="0"><table>')
    .replaceAll("</table>", "</table></div>")
    .replace(/(?<!<li>\n?)<(p|h[1-6]|ul|ol|table)(?=[ >])/g, '<$1 dir="auto"');
}

const writeTasks = (tasks: SharedMeeting["tasks"]): string => `      <section>
        <h2>Tasks</h2>
        <ul class="tasks">
${tasks
  .map(({ content, completed, assignee, due }) => {
    const facts = [
      ...(assignee === null ? [] : [`<bdi>${escapeHtml(assignee)}</bdi>`]),
      ...(due === null ? [] : [`Due ${writeDay(due)}`]),
    ];
    const note = facts.length === 0 ? "" : ` <span class="note">${facts.join(" · ")}</span>`;
    return `          <li dir="auto"><span role="img" aria-label="${completed ? "Done" : "Open"}">${completed ? "☑" : "☐"}</span> ${escapeHtml(content)}${note}</li>`;
  })
  .join("\n")}
        </ul>
      </section>
`;

const writeTranscript = (turns: NonNullable<SharedMeeting["turns"]>): string => `      <section>
        <h2>Transcript</h2>
${turns
  .map(({ speaker, text, start }) => {
    const at = start === null ? "" : ` <span class="note">${writeClock(start)}</span>`;
    return `        <div class="turn"><b dir="auto">${escapeHtml(speaker)}${at}</b><p dir="auto">${escapeHtml(text)}</p></div>`;
  })
  .join("\n")}
      </section>
`;

const TIMES = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });

/** Writes a time in UTC, because the server doesn't know the reader's zone. */
const writeTime = (instant: string): string =>
  `<time datetime="${escapeHtml(instant)}">${TIMES.format(new Date(instant))} UTC</time>`;

const DAYS = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

/** Writes a meeting's start, without a time if only the day is known. */
function writeStart({ startTime, startPrecision }: SharedMeeting): string {
  if (startPrecision === "day") return writeDay(startTime.slice(0, 10));
  return `${writeTime(startTime)}${startPrecision === null ? "" : " (a guess)"}`;
}

const writeDay = (day: string): string =>
  `<time datetime="${escapeHtml(day)}">${DAYS.format(new Date(day))}</time>`;

function writeDuration({ startTime, endTime }: SharedMeeting): string {
  const minutes = endTime === null ? 0 : Math.round((Date.parse(endTime) - Date.parse(startTime)) / 60_000);
  if (minutes < 1) return "";
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [...(hours > 0 ? [`${hours} h`] : []), ...(rest > 0 ? [`${rest} min`] : [])].join(" ");
}

/** Writes `0:07`, `1:02:03`. */
function writeClock(seconds: number): string {
  const all = Math.floor(seconds);
  const pad = (value: number) => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(all / 3_600), Math.floor(all / 60) % 60];
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(all % 60)}` : `${minutes}:${pad(all % 60)}`;
}
