import { repeatsTitle } from "@minutes/transcripts/write";

const HEADING = /^\s*<h[1-6]>(.*?)<\/h[1-6]>\s*/s;

/** Removes a rendered summary's first heading if it only repeats the meeting's title, or the section's, "Summary". */
export function dropRepeatedTitle(html: string, title: string): string {
  const [whole = "", heading = ""] = HEADING.exec(html) ?? [];
  const text = heading.replace(/<[^<>]*>|&\w+;/g, " ");
  return whole !== "" && (repeatsTitle(text, title) || repeatsTitle(text, "Summary"))
    ? html.slice(whole.length)
    : html;
}

/**
 * Moves the headings of a rendered summary below "Summary", the `h2` above: its highest level becomes `h3`, so that no level is
 * skipped, and the page keeps its only `h1`.
 */
export function demoteHeadings(html: string): string {
  const levels = [...html.matchAll(/<h([1-6])>/g)].map(([, level]) => Number(level));
  const shift = 3 - Math.min(...levels);
  return html.replace(
    /<(\/?)h([1-6])>/g,
    (_, slash: string, level: string) => `<${slash}h${Math.min(Number(level) + shift, 6)}>`,
  );
}

/** Puts each table of a rendered summary into a box that scrolls sideways, also by the keyboard. */
const boxTables = (html: string): string =>
  html
    .replaceAll("<table>", '<div class="wide-table" role="group" aria-label="Table" tabindex="0"><table>')
    .replaceAll("</table>", "</table></div>");

/** Lets each block of a rendered summary run in the direction of its text; the items of a list run as one. */
const directBlocks = (html: string): string =>
  html.replace(/(?<!<li>\n?)<(p|h[1-6]|ul|ol|table)(?=[ >])/g, '<$1 dir="auto"');

/** Replaces `[ ]` and `[x]` at the start of list items with checkbox characters. */
const drawBoxes = (html: string): string =>
  html.replace(
    /(<li>\s*(?:<p>)?)\[([ xX])\](?= )/g,
    (_, start: string, mark: string) => `${start}${mark === " " ? "☐" : "☑"}`,
  );

/** Fits a rendered summary into the meeting's page. */
export const fitSummary = (html: string, title: string): string =>
  directBlocks(boxTables(drawBoxes(demoteHeadings(dropRepeatedTitle(html, title)))));
