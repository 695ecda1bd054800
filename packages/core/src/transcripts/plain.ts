import { type ReadTurn, splitName, TranscriptError } from "./turns.js";

/** `0:07`, `12:34`, `1:02:03`, in brackets or not. */
const TIME = String.raw`[[(]?(\d{1,3}:\d{2}(?::\d{2})?)(?:[.,]\d+)?[\])]?`;
const ONLY_TIME = new RegExp(`^${TIME}$`);
const LEADING_TIME = new RegExp(`^${TIME}\\s+(?:[-–]\\s+)?(.+)$`);
/** `Name (12:34): text` and `Name [12:34]: text` */
const TIME_IN_NAME = new RegExp(`^([^:]{1,100}?)\\s+${TIME}:\\s*(.*)$`);

/**
 * Reads a plain transcript of `Name: text` lines, with or without times. A line that names nobody goes on with the
 * turn before; empty lines, headings and what stands before the first name are no speech.
 * @throws TranscriptError when nobody speaks in the whole file.
 */
export function readPlain(text: string): ReadTurn[] {
  const turns: { speaker: string; text: string; start?: number }[] = [];
  let time: number | undefined;
  for (const raw of text.replace(/^\uFEFF/, "").split(/\r\n?|\n/)) {
    const line = raw.trim();
    if (line === "" || line.startsWith("# ")) continue;
    const alone = ONLY_TIME.exec(line);
    if (alone) {
      time = secondsOf(alone[1]);
      continue;
    }
    const inside = TIME_IN_NAME.exec(line);
    const leading = LEADING_TIME.exec(line);
    if (leading) time = secondsOf(leading[1]);
    if (inside) time = secondsOf(inside[2]);
    const said = inside ? `${inside[1]}: ${inside[3]}` : (leading?.[2] ?? line);
    const named = splitName(said);
    const last = turns.at(-1);
    if (named) {
      turns.push({ ...named, ...(time === undefined ? {} : { start: time }) });
      time = undefined;
    } else if (last) last.text = last.text === "" ? said : `${last.text}\n${said}`;
  }
  const spoken = turns.filter((turn) => turn.text !== "");
  if (spoken.length === 0) throw new TranscriptError(1, "There is no line of the form Name: text.");
  return spoken;
}

const secondsOf = (time: string | undefined): number =>
  (time ?? "0").split(":").reduce((seconds, part) => seconds * 60 + Number(part), 0);
