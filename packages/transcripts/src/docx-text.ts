/** Characters that XML can't contain, even escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed.
const FORBIDDEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/gu;

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Writes text as it is, without characters that a document can't contain. */
export const writeText = (text: string): string => {
  const escaped = text.replace(FORBIDDEN, "").replace(/[&<>]/g, (character) => ENTITIES[character] ?? "");
  return `<w:t xml:space="preserve">${escaped}</w:t>`;
};

/** Writes a run of text on one line. @param look properties of the run, in the order of its schema */
export const writeRun = (text: string, look = ""): string =>
  `<w:r>${look && `<w:rPr>${look}</w:rPr>`}${writeText(text.replace(/[\r\n]+/g, " "))}</w:r>`;

/** Writes a paragraph in a style of `STYLES`; null for the default. @param place its place in a list, as XML */
export const writeParagraph = (style: string | null, runs: string, place = ""): string => {
  const properties = `${style ? `<w:pStyle w:val="${style}"/>` : ""}${place}`;
  return `<w:p>${properties && `<w:pPr>${properties}</w:pPr>`}${runs}</w:p>`;
};
