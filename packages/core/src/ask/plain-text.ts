/**
 * Characters of plain text: letters, digits, punctuation and currencies of any script. Of ASCII, those without a meaning
 * in Markdown. NFKC writes ½ with its own slash.
 */
const PLAIN =
  /^(?:[\p{L}\p{M}\p{N}\p{Pd}\p{Pi}\p{Pf}\p{Sc} .,;:!?'"()%&+/⁄°]|(?![ -~])[\p{Po}\p{Ps}\p{Pe}])+$/u;

/** What readers turn into links or markup, although its characters are plain. */
const NOT_PLAIN = [
  // A scheme, such as `tel:1`; with a space after the colon it is speech.
  /\p{L}[\p{M}\p{N}+.-]*:\S/u,
  /::/,
  // A host name, such as `example.com`; 。 separates labels, too.
  /[\p{L}\p{M}\p{N}]\.\p{L}[\p{L}\p{M}]/u,
  /。[\p{L}\p{N}]/u,
  // An IPv4 address.
  /[\p{L}\p{N}](?:\.\d+){3}/u,
  // An entity of HTML.
  /&[\p{L}\p{N}]+;/u,
  // An item of a list.
  /^(?:[\p{Pd}+](?!\d)|\d+[.)]\s)/u,
];

/** A slash between words, such as in `and/or`. Any other belongs to a path or a link. */
const SLASH_IN_TEXT = /(?<=[\p{L}\p{M}\p{N}])\/(?=[\p{L}\p{N}])| \/ /gu;

/**
 * Returns a text in Unicode's compatibility form (NFKC) on one line, or null unless it is plain in every reader: a transcript
 * could tell a model to write a link.
 * @param max maximum length
 */
export function toPlainText(text: string, max: number): string | null {
  if (text.length > 2 * max) return null;
  const plain = text.normalize("NFKC").replace(/\s+/g, " ").trim();
  const isPlain =
    plain.length <= max &&
    PLAIN.test(plain) &&
    !NOT_PLAIN.some((pattern) => pattern.test(plain)) &&
    !plain.replace(SLASH_IN_TEXT, "").includes("/");
  return isPlain ? plain : null;
}
