/** Number of samples a second, of 16 bits each. */
const RATE = 16_000;
const SAMPLE = 2;
/** A frame: 20 ms. */
const FRAME = 0.02;
const FRAME_BYTES = RATE * FRAME * SAMPLE;

/** Maximum length of a window: the model hears 30 seconds. */
const WINDOW = 28;
/** Length of a pause after which a new window begins, so that what is said next has its own times. */
const PAUSE = 1.5;
/** What is kept of silence before and after speech. */
const MARGIN = 0.2;
/** Number of loud frames without which a window is noise. */
const LOUD_FRAMES = 5;
/** Root mean square below which a frame is silent: -55 dB. */
const SILENT = 58;

const toFrames = (seconds: number) => Math.round(seconds / FRAME);

/** A piece of a recording in which something can be heard. */
export interface Speech {
  /** Seconds from the start of the recording. */
  readonly at: number;
  /** Samples of 16 bits, 16,000 a second. */
  readonly samples: Buffer;
}

/**
 * Cuts sound into windows for the model: at pauses, or where it is quietest. Silence is left out: models invent words for it.
 * @param sound one channel of 16,000 samples a second, 16 bits each
 */
export async function* cutSpeech(sound: AsyncIterable<Uint8Array>): AsyncGenerator<Speech> {
  const window = new Window();
  let rest = Buffer.alloc(0);
  for await (const chunk of sound) {
    rest = Buffer.concat([rest, chunk]);
    let used = 0;
    for (; rest.length - used >= FRAME_BYTES; used += FRAME_BYTES)
      yield* window.add(rest.subarray(used, used + FRAME_BYTES));
    rest = Buffer.from(rest.subarray(used));
  }
  yield* window.finish();
}

interface Frame {
  readonly bytes: Uint8Array;
  readonly level: number;
}

class Window {
  #frames: Frame[] = [];
  /** Number of frames before the window. */
  #before = 0;

  *add(bytes: Uint8Array): Generator<Speech> {
    this.#frames.push({ bytes, level: measure(bytes) });
    const loud = this.#frames.findLastIndex(({ level }) => level >= SILENT);
    if (loud < 0) return this.#drop(this.#frames.length - toFrames(MARGIN));
    if (this.#frames.length - loud > toFrames(PAUSE)) yield* this.#take(loud + 1 + toFrames(MARGIN));
    else if (this.#frames.length >= toFrames(WINDOW)) yield* this.#take(this.#findQuietest());
  }

  finish(): Generator<Speech> {
    return this.#take(this.#frames.length);
  }

  *#take(count: number): Generator<Speech> {
    const frames = this.#frames.slice(0, count);
    if (frames.filter(({ level }) => level >= SILENT).length >= LOUD_FRAMES)
      yield { at: this.#before * FRAME, samples: Buffer.concat(frames.map(({ bytes }) => bytes)) };
    this.#drop(count);
  }

  #drop(count: number): void {
    if (count <= 0) return;
    this.#frames.splice(0, count);
    this.#before += count;
  }

  /** Finds the middle of the quietest 0.3 seconds in the second half. */
  #findQuietest(): number {
    const width = toFrames(0.3);
    let [quietest, least] = [this.#frames.length, Number.POSITIVE_INFINITY];
    let sum = 0;
    for (let at = Math.floor(this.#frames.length / 2); at < this.#frames.length; at++) {
      sum += this.#frames[at]?.level ?? 0;
      if (at - width < this.#frames.length / 2) continue;
      sum -= this.#frames[at - width]?.level ?? 0;
      if (sum < least) [quietest, least] = [at - Math.floor(width / 2), sum];
    }
    return quietest;
  }
}

/** Returns the root mean square of samples. */
function measure(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let sum = 0;
  for (let at = 0; at < bytes.byteLength; at += SAMPLE) sum += view.getInt16(at, true) ** 2;
  return Math.sqrt(sum / (bytes.byteLength / SAMPLE));
}
