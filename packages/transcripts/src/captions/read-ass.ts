import { parseTime } from "../times.js";
import { cleanName, type ReadOptions, splitLines, type Transcript } from "../transcript.js";
import { splitVoices } from "./cue-text.js";
import { assignSpeakers, type Said } from "./read-captions.js";

/** Fields of an event of SubStation Alpha, for files that don't list them. */
const FIELDS = ["layer", "start", "end", "style", "name", "marginl", "marginr", "marginv", "effect", "text"];

/** Reads SubStation Alpha (`.ass`, `.ssa`). The speaker is an event's name, or a prefix of its text. @throws TranscriptError as `readVtt` */
export function readAss(text: string, options: ReadOptions = {}): Transcript {
  let fields = FIELDS;
  const said: Said[] = [];
  for (const [at, line] of splitLines(text).entries()) {
    const [, kind, value = ""] = /^(Format|Dialogue) *:(.*)$/su.exec(line) ?? [];
    const names = value.split(",").map((name) => name.trim().toLowerCase());
    if (kind === "Format" && names.includes("text")) fields = names;
    if (kind !== "Dialogue") continue;
    const parts = value.split(",");
    const pick = (name: string) => (parts[fields.indexOf(name)] ?? "").trim();
    const speech = parts.slice(fields.length - 1).join(",");
    const times = { start: parseTime(pick("start")), end: parseTime(pick("end")) };
    for (const voice of splitVoices(speech.replaceAll(/\\[Nn]/g, "\n").replaceAll("\\h", " ")))
      said.push({
        line: at + 1,
        ...times,
        speaker: cleanName(pick("name") || pick("actor")) || null,
        lines: voice.lines,
      });
  }
  return assignSpeakers({ said }, options);
}
