import type { Mask } from "./mask.js";

/** A tag, or text up to the next one. */
const TOKEN = /<[^<>]*>|[^<]+|</g;
/** Elements that stay, without attributes. Those of all others go, and leave their text. */
const KEPT = /^<(\/?)(h[1-6]|p|br|hr|strong|em|s|code|pre|blockquote|ul|ol|li|table|thead|tbody|tr|th|td)\b/;
/** Elements that begin a line. An address can have a part in each of the others. */
const BLOCK = /^<\/?(?:h[1-6]|p|br|hr|pre|blockquote|ul|ol|li|table|thead|tbody|tr|th|td)\b/;

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
};

const decode = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal, hex, name) => {
    if (name) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code).toWellFormed() : "";
  });

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escapeText = (text: string): string => text.replace(/[&<>]/g, (one) => ESCAPES[one] ?? one);

/**
 * Masks a rendered summary. What it masks can go through several elements of a line. Returns only elements without
 * attributes, so links become text, whatever was stored.
 */
export function maskHtml(html: string, mask: Mask): string {
  let isPreformatted = false;
  const pieces = (html.match(TOKEN) ?? []).map((token) => {
    if (/^<\/?pre\b/.test(token)) isPreformatted = !token.startsWith("</");
    const isTag = token.startsWith("<") && token.length > 1;
    const [, slash, element] = isTag ? (KEPT.exec(token) ?? []) : [];
    const text = isTag ? "" : mask.prepare(decode(token));
    return {
      tag: element === undefined ? "" : `<${slash}${element}>`,
      // Blocks are apart from each other.
      text: isTag ? (BLOCK.test(token) ? "\n\n" : "") : isPreformatted ? text : text.replaceAll("\n", " "),
      isTag,
    };
  });
  const masked = mask.find(pieces.map(({ text }) => text).join(""));
  let at = 0;
  let next = 0;
  const write = (text: string): string => {
    const [from, to] = [at, at + text.length];
    let shown = "";
    at = from;
    while (at < to) {
      const part = masked[next];
      if (!part || part.from >= to) {
        shown += text.slice(at - from);
        at = to;
      } else {
        shown += text.slice(at - from, Math.max(at, part.from) - from);
        if (part.from >= from) shown += part.shown;
        at = Math.min(part.to, to);
        if (part.to <= to) next += 1;
      }
    }
    return shown;
  };
  return pieces
    .map(({ tag, text, isTag }) => {
      const shown = write(text);
      return isTag ? tag : escapeText(shown);
    })
    .join("");
}
