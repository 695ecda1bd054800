import { Parser } from "htmlparser2";
import { BULLETS, DEEPEST, HEADINGS } from "./docx-parts.js";
import { writeParagraph, writeRun } from "./docx-text.js";

/** Elements that begin and end a paragraph. */
const BLOCKS = new Set([
  "p",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "li",
  "ul",
  "ol",
  "pre",
  "blockquote",
  "tr",
  "hr",
  "table",
]);

/** What elements change about text, in the order of the schema. */
const LOOKS: readonly (readonly [string, string])[] = [
  ["code", '<w:rFonts w:ascii="Consolas" w:hAnsi="Consolas"/>'],
  ["strong", "<w:b/>"],
  ["th", "<w:b/>"],
  ["em", "<w:i/>"],
  ["s", "<w:strike/>"],
];

interface List {
  /** Its number in the document's lists. */
  readonly number: number;
  /** True until the first paragraph of an item is written: only that one has the bullet. */
  fresh: boolean;
}

/**
 * Writes a rendered summary as paragraphs of a Word document. It knows the elements that the service's renderer allows; of
 * others, only the text stays. A link is its text and its address, a table a line with tabs for each row.
 */
export class SummaryWriter {
  readonly #paragraphs: string[] = [];
  readonly #starts: { start: number; level: number }[] = [];
  readonly #lists: List[] = [];
  /** Number of open elements by name. */
  readonly #open = new Map<string, number>();
  readonly #links: string[] = [];
  readonly #isRepeated: (heading: string) => boolean;
  #runs: string[] = [];
  #text = "";

  /** @param isRepeated whether a first heading says only what stands above it */
  constructor(isRepeated: (heading: string) => boolean) {
    this.#isRepeated = isRepeated;
  }

  /** @returns the paragraphs, and how the numbered lists start */
  write(html: string) {
    const parser = new Parser({
      onopentag: (name, attributes) => this.#enter(name, attributes),
      ontext: (text) => this.#add(text),
      onclosetag: (name) => this.#leave(name),
    });
    parser.end(html);
    this.#end();
    return { paragraphs: this.#paragraphs, starts: this.#starts };
  }

  #enter(name: string, attributes: Readonly<Record<string, string>>): void {
    if (BLOCKS.has(name)) this.#end();
    this.#open.set(name, this.#count(name) + 1);
    const last = this.#lists.at(-1);
    if (name === "ul") this.#lists.push({ number: BULLETS, fresh: false });
    if (name === "ol") this.#lists.push({ number: this.#addNumbers(attributes.start), fresh: false });
    if (name === "li" && last) last.fresh = true;
    if (name === "br") this.#runs.push("<w:r><w:br/></w:r>");
    if ((name === "td" || name === "th") && this.#runs.length > 0) this.#runs.push("<w:r><w:tab/></w:r>");
    if (name === "a") this.#links.push(attributes.href ?? "");
  }

  #leave(name: string): void {
    if (name === "a") {
      const address = this.#links.pop() ?? "";
      if (address !== "" && !this.#text.endsWith(address)) this.#add(` (${address})`);
    }
    if (BLOCKS.has(name)) this.#end();
    if (name === "ul" || name === "ol") this.#lists.pop();
    this.#open.set(name, this.#count(name) - 1);
  }

  #add(text: string): void {
    const isCode = this.#count("pre") > 0;
    if (!isCode && this.#runs.length === 0 && text.trim() === "") return;
    const look = LOOKS.filter(([name]) => this.#count(name) > 0).map(([, xml]) => xml);
    const lines = isCode ? text.replace(/\n$/, "").split("\n") : [text.replace(/\s+/g, " ")];
    for (const [at, line] of lines.entries()) {
      if (at > 0) this.#runs.push("<w:r><w:br/></w:r>");
      this.#runs.push(writeRun(line, [...new Set(look)].join("")));
    }
    this.#text += text;
  }

  /** Ends the paragraph, if it has begun. */
  #end(): void {
    const [runs, text, heading] = [this.#runs, this.#text, this.#getHeading()];
    this.#runs = [];
    this.#text = "";
    if (runs.length === 0) return;
    const isFirst = this.#paragraphs.length === 0;
    if (heading !== null && isFirst && this.#isRepeated(text)) return;
    this.#paragraphs.push(writeParagraph(this.#getStyle(heading), runs.join(""), this.#takePlace()));
  }

  /** Level of the open heading, below the document's; null outside of one. */
  #getHeading(): number | null {
    const level = [1, 2, 3, 4, 5, 6].find((at) => this.#count(`h${at}`) > 0);
    return level === undefined ? null : Math.min(level + 1, HEADINGS);
  }

  #getStyle(heading: number | null): string | null {
    if (heading !== null) return `Heading${heading}`;
    if (this.#count("pre") > 0) return "Code";
    return this.#count("blockquote") > 0 ? "Quote" : null;
  }

  /** Returns the place of a paragraph in the innermost list: with its bullet or number if it is the first of an item. */
  #takePlace(): string {
    const list = this.#lists.at(-1);
    if (!list) return "";
    const level = Math.min(this.#lists.length - 1, DEEPEST);
    if (!list.fresh) return `<w:ind w:left="${720 * (level + 1)}"/>`;
    list.fresh = false;
    return `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list.number}"/></w:numPr>`;
  }

  #addNumbers(start = "1"): number {
    const first = Number.parseInt(start, 10);
    this.#starts.push({
      start: first >= 0 && first < 2 ** 31 ? first : 1,
      level: Math.min(this.#lists.length, DEEPEST),
    });
    return BULLETS + this.#starts.length;
  }

  readonly #count = (name: string): number => this.#open.get(name) ?? 0;
}
