import { inflateSync } from "node:zlib";

/** Maps the codes of a font's glyphs to text. */
type Glyphs = ReadonlyMap<string, string>;

/**
 * Reads the text of each page of a PDF that Chromium wrote: a line for each piece that has a position of its own. Reads only
 * what Chromium writes: objects without encryption, streams that are deflated, fonts that say which text their glyphs are.
 */
export function readPdf(pdf: Buffer): string[] {
  const objects = new Map(
    [...pdf.toString("latin1").matchAll(/^(\d+) 0 obj\n(.*?)\nendobj$/gms)].map(
      ([, id = "", body = ""]) => [id, body] as const,
    ),
  );
  const open = (id: string | undefined) => inflate(objects.get(id ?? "") ?? "");
  const fonts = new Map<string, Glyphs>();
  const readFont = (id: string): Glyphs => {
    const known = fonts.get(id) ?? readGlyphs(open(/\/ToUnicode (\d+) 0 R/.exec(objects.get(id) ?? "")?.[1]));
    fonts.set(id, known);
    return known;
  };
  return [...objects.values()]
    .filter((body) => /\/Type \/Page\b/.test(body))
    .map((body) => {
      const named = [...body.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(
        ([, name = "", id = ""]) => [name, readFont(id)] as const,
      );
      return readContent(open(/\/Contents (\d+) 0 R/.exec(body)?.[1]), new Map(named));
    });
}

/** Returns a stream's content; an empty text for none. */
function inflate(object: string): string {
  const length = Number(/\/Length (\d+)/.exec(object)?.[1]);
  const start = object.indexOf("stream\n") + "stream\n".length;
  const stream = Buffer.from(object.slice(start, start + length), "latin1");
  return stream.length === 0 ? "" : inflateSync(stream).toString("latin1");
}

const toText = (hex: string) => Buffer.from(hex, "hex").swap16().toString("utf16le");

/** Reads a table such as `<0003> <0020>` for one glyph, and `<0013> <001C> <0030>` for several in order. */
function readGlyphs(table: string): Glyphs {
  const glyphs = new Map<string, string>();
  for (const [, from = "", to, text = ""] of table.matchAll(/^<(\w+)> (?:<(\w+)> )?<(\w+)>$/gm)) {
    const first = Number.parseInt(from, 16);
    const last = to === undefined ? first : Number.parseInt(to, 16);
    for (let code = first; code <= last; code++) {
      const shown = (BigInt(`0x${text}`) + BigInt(code - first)).toString(16).padStart(text.length, "0");
      glyphs.set(code.toString(16).padStart(from.length, "0").toUpperCase(), toText(shown));
    }
  }
  return glyphs;
}

/** Reads the text of a page: which font follows, where a piece of text begins, and its glyphs. */
function readContent(content: string, fonts: ReadonlyMap<string, Glyphs>): string {
  let glyphs: Glyphs = new Map();
  let text = "";
  for (const [all, font, codes] of content.matchAll(/\/(F\d+) \S+ Tf|<(\w+)> Tj|\bTm\b/g)) {
    if (font !== undefined) glyphs = fonts.get(font) ?? new Map();
    else if (codes === undefined) text += all === "Tm" ? "\n" : "";
    else {
      const width = [...glyphs.keys()][0]?.length ?? 4;
      for (let at = 0; at < codes.length; at += width) text += glyphs.get(codes.slice(at, at + width)) ?? "";
    }
  }
  return text;
}
