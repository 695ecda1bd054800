import { decodeHTMLStrict } from "entities";
import { cleanName, joinLines } from "../transcript.js";

/** A piece of a cue: what one voice says. */
export interface Voice {
  /** Name in a voice tag; null if there is none. */
  readonly speaker: string | null;
  /** Lines of the speech, without markup. */
  readonly lines: readonly string[];
}

/**
 * A WebVTT, SubRip or HTML tag with its name and annotation. Only tags that have an annotation can have one, so that
 * `a<b and c>d` is speech.
 */
const TAG =
  /<(?:(\/?(?:v|lang))(?:\.[^\s<>]*)?(?:[ \t]([^<>]*))?|\/?(?:c|i|b|u|s|em|strong|ruby|rt|font|span|p|br|bdo)(?:\.[^\s<>]*)?(?:\s+[a-z-]+ ?= ?[^<>]*)? ?\/?|(?:\d{1,6}:)?\d{1,2}:\d{2}[.,]\d{1,3})>/gi;

/** An override of SubStation Alpha: `{\an8}`. */
const OVERRIDE = /\{\\[^{}]*\}/g;

/** Splits the text of a cue by voice. A voice lasts until its end tag or the end of the cue. */
export function splitVoices(text: string): Voice[] {
  // Most cues have no markup.
  if (!/[<&{\n]/.test(text)) return text.trim() === "" ? [] : [{ speaker: null, lines: [joinLines(text)] }];
  const spoken: { speaker: string | null; parts: string[] }[] = [];
  const speakers: (string | null)[] = [];
  const add = (part: string) => {
    const speaker = speakers.at(-1) ?? null;
    const last = spoken.at(-1);
    if (last && last.speaker === speaker) last.parts.push(part);
    else spoken.push({ speaker, parts: [part] });
  };
  let from = 0;
  const source = text.includes("{\\") ? text.replace(OVERRIDE, "") : text;
  if (!source.includes("<")) add(source);
  else {
    for (const { 0: tag, 1: name = "", 2: annotation = "", index } of source.matchAll(TAG)) {
      if (index > from) add(source.slice(from, index));
      from = index + tag.length;
      if (name.toLowerCase() === "v") speakers.push(cleanName(decodeReferences(annotation)) || null);
      else if (name.toLowerCase() === "/v") speakers.pop();
      else if (/^<br/i.test(tag)) add("\n");
    }
    if (from < source.length) add(source.slice(from));
  }
  const voices: { speaker: string | null; lines: string[] }[] = [];
  for (const { speaker, parts } of spoken) {
    // A dash before a voice only marks its change.
    const said = parts.join("").replace(/(?:^|\n)- ?$/, "");
    const lines = said.split("\n").flatMap((line) => joinLines(decodeReferences(line)) || []);
    const last = voices.at(-1);
    if (lines.length === 0) continue;
    if (last?.speaker === speaker) last.lines.push(...lines);
    else voices.push({ speaker, lines });
  }
  return voices;
}

/** Decodes HTML's character references, named and numeric. */
const decodeReferences = (text: string): string => (text.includes("&") ? decodeHTMLStrict(text) : text);
