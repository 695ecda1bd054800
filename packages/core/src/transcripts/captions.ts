import { parseText, tokenizeVTTCue, VTTCue, type VTTNode } from "media-captions";
import { type ReadTurn, splitName, TranscriptError } from "./turns.js";

/**
 * Reads WebVTT: speakers as voices (`<v Name>`, as Teams and the standard have it), or as `Name: text` in front of a
 * cue's text (Zoom, Meet).
 * @throws TranscriptError at the first cue that can't be read.
 */
export const readVtt = (text: string): Promise<ReadTurn[]> => read(text, "vtt");

/** Reads SubRip; speakers as `Name: text`. @throws TranscriptError */
export const readSrt = (text: string): Promise<ReadTurn[]> => read(text, "srt");

async function read(text: string, type: "vtt" | "srt"): Promise<ReadTurn[]> {
  const content = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  if (type === "vtt" && !/^WEBVTT(?:[ \t\n]|$)/.test(content)) {
    throw new TranscriptError(1, "A WebVTT file begins with WEBVTT.");
  }
  const { cues, errors } = await parseText(content, { type, errors: true });
  const [error] = errors;
  if (error) throw new TranscriptError(error.line, "The cue's times are not valid.");
  if (cues.length === 0) throw new TranscriptError(1, "There is no cue in this file.");
  return cues.flatMap((cue) => turnsOf(cue));
}

/** A cue's turns: one for each voice, the times being the cue's. */
function turnsOf({ startTime: start, endTime: end, text }: VTTCue): ReadTurn[] {
  const voices: { speaker: string | null; text: string }[] = [];
  const add = (speaker: string | null, data: string) => {
    const last = voices.at(-1);
    if (last && last.speaker === speaker) last.text += data;
    else voices.push({ speaker, text: data });
  };
  const walk = (nodes: readonly VTTNode[], speaker: string | null) => {
    for (const node of nodes) {
      if (node.type === "text") add(speaker, node.data);
      else walk(node.children, node.type === "v" ? node.voice.trim() || null : speaker);
    }
  };
  walk(tokenizeVTTCue(new VTTCue(start, end, text)), null);
  return voices.flatMap((voice) => {
    // A dash before a voice is typography.
    const said = voice.text
      .replace(/(?:^|\n)-\s*$/, "")
      .replace(/\s+/g, " ")
      .trim();
    if (said === "") return [];
    const named = voice.speaker === null ? splitName(said) : null;
    return [{ speaker: voice.speaker, text: said, ...named, start, end }].filter((turn) => turn.text !== "");
  });
}
