/** A piece of a recording, in seconds. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** Maximum length of a line that is read, and maximum number of pauses: more than twelve hours can have. */
const LINE = 1_000;
const PAUSES = 100_000;

/** What ffmpeg's `silencedetect` says. Lines of the one that hears no noise at all name a channel. */
const REPORT = /^\[silencedetect @ [^\]]*\] (channel: 0 \| )?silence_(start|end): (-?[\d.]+)/;

/** Reads from ffmpeg's messages where a recording is silent. Other messages are not kept: they can have content. */
export class SilenceReader {
  #rest = "";
  readonly #silences = new Pauses();
  readonly #voids = new Pauses();

  read(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = (lines.pop() ?? "").slice(-LINE);
    for (const line of lines) {
      const [, isVoid, edge, seconds] = REPORT.exec(line) ?? [];
      if (edge !== undefined) (isVoid ? this.#voids : this.#silences).add(edge, Math.max(0, Number(seconds)));
    }
  }

  finish() {
    return { silences: this.#silences.finish(), voids: this.#voids.finish() };
  }
}

class Pauses {
  readonly #found: Interval[] = [];
  #from: number | null = null;

  add(edge: string, seconds: number): void {
    if (edge === "start") this.#from = seconds;
    else if (this.#from !== null && this.#found.length < PAUSES) {
      this.#found.push({ from: this.#from, to: seconds });
      this.#from = null;
    }
  }

  /** Lists the pauses. The last one can last until the end. */
  finish(): Interval[] {
    if (this.#from !== null) this.add("end", Number.MAX_SAFE_INTEGER);
    return this.#found;
  }
}

/** A part of a recording that the transcriber gets, in seconds. */
export interface Part extends Interval {
  /** True if nothing can be heard in it, so that it needs no transcriber. */
  readonly isVoid: boolean;
}

/**
 * Cuts a recording into parts of a maximum length, each in the longest pause of its second half.
 * @param step length in seconds of which each part has a whole number
 */
export function cutAtSilence(
  seconds: number,
  { silences, voids }: { readonly silences: readonly Interval[]; readonly voids: readonly Interval[] },
  { longest, step }: { readonly longest: number; readonly step: number },
): Part[] {
  const parts: Part[] = [];
  for (let from = 0; from < seconds; ) {
    const rest = seconds - from;
    const length = rest <= longest ? rest : findCut(silences, from, longest) - from;
    const to = rest <= longest ? seconds : from + Math.floor(length / step) * step;
    parts.push({ from, to, isVoid: voids.some((one) => one.from <= from + 1 && one.to >= to - 1) });
    from = to;
  }
  return parts;
}

/** Returns the middle of the longest pause in the second half of what is allowed, or its end if nobody pauses. */
function findCut(silences: readonly Interval[], from: number, longest: number): number {
  let [cut, length] = [from + longest, 0];
  for (const silence of silences) {
    const within = {
      from: Math.max(silence.from, from + longest / 2),
      to: Math.min(silence.to, from + longest),
    };
    if (within.to - within.from > length) {
      length = within.to - within.from;
      cut = (within.from + within.to) / 2;
    }
  }
  return cut;
}
