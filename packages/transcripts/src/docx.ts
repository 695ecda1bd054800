import { Parser } from "htmlparser2";
import { decodeText } from "./decode.js";
import { TranscriptError } from "./transcript.js";
import { unzip } from "./zip.js";

const DOCUMENT = "word/document.xml";

/**
 * Reads the text of a Word document: a line for each paragraph and break, with tabs. Deleted text, fields and notes are
 * left out. The parser resolves no entities except XML's own, and keeps no tree.
 * @returns null for another archive @throws TranscriptError for a broken one
 */
export async function readDocx(bytes: Uint8Array): Promise<string | null> {
  const [document] = await unzip(bytes, (name) => name === DOCUMENT);
  if (!document) return null;
  const parts: string[] = [];
  let inText = false;
  /** Depth inside of an element that repeats others, for programs that can't show these. */
  let fallback = 0;
  const parser = new Parser(
    {
      onopentag(name) {
        if (name === "mc:Fallback") fallback++;
        if (name === "w:t") inText = true;
        if (name === "w:br" || name === "w:cr") parts.push("\n");
        if (name === "w:tab") parts.push("\t");
        if (name === "w:noBreakHyphen") parts.push("-");
      },
      ontext(text) {
        if (inText && fallback === 0) parts.push(text);
      },
      onclosetag(name) {
        if (name === "mc:Fallback") fallback--;
        if (name === "w:t") inText = false;
        if (name === "w:p") parts.push("\n");
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(decodeText(document.bytes).text);
  const text = parts.join("");
  if (text.trim() === "") throw new TranscriptError(null, "This document has no text.");
  return text;
}
