import { Parser } from "htmlparser2";
import { parseTime } from "../times.js";
import { cleanName, joinLines, type ReadOptions, type Transcript } from "../transcript.js";
import { assignSpeakers, type Said } from "./read-captions.js";

/** Elements of a captioned paragraph: `<p begin end>` of TTML, `<text start dur>` and `<p t d>` of YouTube. */
const PARAGRAPHS = new Set(["p", "text"]);

/** Reads captions in XML: TTML (`.ttml`, `.dfxp`) and YouTube's. @throws TranscriptError as `readVtt` */
export function readXml(text: string, options: ReadOptions = {}): Transcript {
  const said: Said[] = [];
  const agents = new Map<string, string>();
  let agent: string | null = null;
  let open: { speaker: string | null; start: number | null; end: number | null; parts: string[] } | null =
    null;
  let inName = false;
  const parser = new Parser(
    {
      onopentag(tag, attributes) {
        const name = tag.replace(/^.*:/, "");
        if (name === "agent") agent = attributes["xml:id"] ?? attributes.id ?? null;
        inName = name === "name" && agent !== null;
        if (name === "br") open?.parts.push("\n");
        if (!PARAGRAPHS.has(name)) return;
        const speaker = attributes["ttm:agent"] ?? attributes.agent ?? null;
        open = { speaker, ...readTimes(attributes), parts: [] };
      },
      ontext(part) {
        if (inName && agent !== null) agents.set(agent, `${agents.get(agent) ?? ""}${part}`);
        else open?.parts.push(part);
      },
      onclosetag(tag) {
        const name = tag.replace(/^.*:/, "");
        if (name === "name") inName = false;
        if (name === "agent") agent = null;
        if (!PARAGRAPHS.has(name) || !open) return;
        const lines = open.parts
          .join("")
          .split("\n")
          .flatMap((line) => joinLines(line) || []);
        const id = open.speaker?.split(/\s+/)[0];
        const speaker = id ? cleanName(agents.get(id) ?? id) || null : null;
        if (lines.length > 0) said.push({ line: 1, speaker, start: open.start, end: open.end, lines });
        open = null;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(text);
  return assignSpeakers({ said }, options);
}

function readTimes(attributes: Record<string, string>): { start: number | null; end: number | null } {
  const { begin, end, dur, start, t, d } = attributes;
  if (t !== undefined) return addDuration(Number(t) / 1000, Number(d) / 1000);
  if (begin === undefined) return addDuration(Number(start), Number(dur));
  const from = toSeconds(begin);
  if (end !== undefined) return { start: from, end: toSeconds(end) };
  return addDuration(from ?? Number.NaN, toSeconds(dur ?? "") ?? Number.NaN);
}

const addDuration = (start: number, duration: number) => ({
  start: Number.isFinite(start) ? start : null,
  end: Number.isFinite(start + duration) ? Math.round((start + duration) * 1000) / 1000 : null,
});

/** Converts a time of TTML: `00:00:01.5`, `1.5s`, `1500ms`, `00:00:01:12` (with frames, which are left out). */
function toSeconds(time: string): number | null {
  const [, count, unit] = /^(\d{1,9}(?:\.\d{1,9})?)(h|m|s|ms)$/.exec(time) ?? [];
  if (count !== undefined)
    return Number(count) * { h: 3600, m: 60, s: 1, ms: 0.001 }[unit as "h" | "m" | "s" | "ms"];
  return parseTime(time.replace(/^(\d{1,4}:\d{2}:\d{2}):\d{2,3}$/, "$1"));
}
