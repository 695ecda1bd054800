// @ts-check
// JavaScript, because a worker thread loads this file from source, and Node does not run TypeScript there.
import MarkdownIt from "markdown-it";
import sanitizeHtml from "sanitize-html";

const withTables = new MarkdownIt({ html: false, linkify: false });
const withoutTables = new MarkdownIt({ html: false, linkify: false }).disable("table");

/** Maximum number of table cells to render. A row with only `a` under a header of 200 columns has 200 cells. */
const MOST_CELLS = 20_000;

/**
 * Maximum nesting of emphasis; deeper markers are shown as written. HTML parsers scan all open tags repeatedly, so a
 * hundred thousand of them would block this process and the reader's browser.
 */
const MOST_EMPHASIS = 20;

for (const markdown of [withTables, withoutTables]) {
  markdown.core.ruler.after("inline", "shallow_emphasis", ({ tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.level < MOST_EMPHASIS || !/^(?:em|strong|s)_(?:open|close)$/.test(token.type)) continue;
      Object.assign(token, { type: "text", tag: "", nesting: 0, content: token.markup });
    }
  });
}

/** @type {import("sanitize-html").IOptions} */
const ALLOWED = {
  allowedTags: [
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "p",
    "br",
    "hr",
    "strong",
    "em",
    "s",
    "code",
    "pre",
    "blockquote",
    "ul",
    "ol",
    "li",
    "a",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
  ],
  allowedAttributes: { a: ["href", "title"], ol: ["start"] },
  allowedSchemes: ["http", "https", "mailto"],
  allowProtocolRelative: false,
};

/**
 * Converts Markdown to HTML that is safe to embed (no scripts, handlers or unknown schemes), and to one line: the first
 * sentence of its text, cut at a word.
 * @param {string} text
 * @returns {{ html: string, short: string }}
 */
export function renderMarkdown(text) {
  const markdown = countCellsAtMost(text) > MOST_CELLS ? withoutTables : withTables;
  /** @type {Record<string, unknown>} */
  const env = {};
  const tokens = markdown.parse(text, env);
  const html = sanitizeHtml(markdown.renderer.render(tokens, markdown.options, env), ALLOWED).trim();
  return { html, short: shorten(toPlainText(tokens)) };
}

/**
 * Shows text as written, without parsing Markdown.
 * @param {string} text
 * @returns {{ html: string, short: string }}
 */
export function renderVerbatim(text) {
  const html = text.replace(/[&<>]/g, (character) => ESCAPED[character] ?? character);
  return { html: `<pre>${html}</pre>`, short: shorten(text.replace(HEADING_LINES, "")) };
}

/** @type {Record<string, string>} */
const ESCAPED = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/**
 * Estimates an upper bound of table cells: the widest line's columns on every line.
 * @param {string} text
 */
function countCellsAtMost(text) {
  let widest = 0;
  let lines = 0;
  for (const line of text.split("\n")) {
    lines++;
    let bars = 0;
    for (let at = line.indexOf("|"); at >= 0; at = line.indexOf("|", at + 1)) bars++;
    if (bars > widest) widest = bars;
  }
  return widest === 0 ? 0 : (widest + 1) * lines;
}

const HEADING_LINES = /^#{1,6} .*$/gm;

/**
 * Returns the text of a document without headings (`# …`) and markup.
 * @param {import("markdown-it").Token[]} tokens
 */
function toPlainText(tokens) {
  const text = [];
  let inHeading = false;
  for (const token of tokens) {
    if (token.type === "heading_open" && token.level === 0) inHeading = token.markup.startsWith("#");
    else if (token.type === "heading_close") inHeading = false;
    else if (inHeading) continue;
    else if (token.type === "inline") text.push(toInlineText(token.children ?? []));
    else if (token.type === "fence") text.push(token.content.replace(HEADING_LINES, ""));
    else if (token.content !== "") text.push(token.content);
  }
  return text.join("\n");
}

/**
 * Returns the text of inline tokens, without images.
 * @param {import("markdown-it").Token[]} children
 */
const toInlineText = (children) =>
  children
    .map(({ type, content }) => {
      if (type === "softbreak" || type === "hardbreak") return "\n";
      return type === "image" ? "" : content;
    })
    .join("");

/** Maximum length of a short summary in UTF-16 units, without the ellipsis. */
const SHORT_LENGTH = 200;

/**
 * Shortens text to its first sentence, cut at a word.
 * @param {string} text
 */
function shorten(text) {
  const line = text.replace(/\s+/g, " ").trim();
  const sentence = /^.*?[.!?](?= |$)/.exec(line)?.[0] ?? line;
  if (sentence.length <= SHORT_LENGTH) return sentence;
  const start = sentence.slice(0, SHORT_LENGTH);
  const cut = start.includes(" ") ? start.slice(0, start.lastIndexOf(" ")) : start;
  return `${cut.toWellFormed()}…`;
}
