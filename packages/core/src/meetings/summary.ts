import MarkdownIt from "markdown-it";
import sanitizeHtml from "sanitize-html";

const markdown = new MarkdownIt({ html: false, linkify: false });

/**
 * Emphasis in emphasis deeper than this is shown as it was written. Whatever reads HTML goes through all its open tags
 * again and again: a hundred thousand of them would keep everybody else waiting, here and in the reader's browser.
 */
const DEPTH = 20;
markdown.core.ruler.after("inline", "shallow_emphasis", ({ tokens }) => {
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    if (token.level < DEPTH || !/^(?:em|strong|s)_(?:open|close)$/.test(token.type)) continue;
    Object.assign(token, { type: "text", tag: "", nesting: 0, content: token.markup });
  }
});

const ALLOWED: sanitizeHtml.IOptions = {
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

/** A summary's Markdown as HTML that is safe to put into a page: no script, handler or foreign scheme survives. */
export const summaryHtml = (text: string): string => sanitizeHtml(markdown.render(text), ALLOWED).trim();

const SHORT_LENGTH = 200;

/** One line for a summary that came without: its first sentence of running text, cut at a word. */
export function shortSummary(text: string): string {
  const plain = sanitizeHtml(markdown.render(text.replace(/^#{1,6} .*$/gm, "")), {
    allowedTags: [],
    allowedAttributes: {},
  });
  const line = decodeEntities(plain).replace(/\s+/g, " ").trim();
  const sentence = /^.*?[.!?](?= |$)/.exec(line)?.[0] ?? line;
  if (sentence.length <= SHORT_LENGTH) return sentence;
  return `${sentence
    .slice(0, SHORT_LENGTH)
    .replace(/\s+\S*$/, "")
    .toWellFormed()}…`;
}

const ENTITIES: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"' };
const decodeEntities = (text: string) =>
  text.replace(/&(?:amp|lt|gt|quot);/g, (entity) => ENTITIES[entity] ?? entity);
