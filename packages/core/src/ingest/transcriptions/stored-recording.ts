import {
  type AudioFile,
  type AudioFiles,
  type AudioLength,
  type AudioReader,
  RECORD_BYTES,
} from "./audio-files.js";

/** The time in which a recording is transcribed until others go first. */
export interface RecordingTurn {
  /** True if no further part may be begun. */
  readonly isOver: boolean;
  /** Called when a part was transcribed. @throws if the job was lost */
  advance(heard: number, parts: number): Promise<void>;
}

/**
 * A recording's audio, and what was found out about it in earlier attempts to transcribe it. All of it is encrypted with the key in
 * the row, and deleted with the job.
 */
export class StoredRecording {
  readonly #files: AudioFiles;
  readonly #file: AudioFile;

  constructor(
    files: AudioFiles,
    file: AudioFile,
    readonly turn: RecordingTurn,
    /** Called with the length of the converted audio on disk, which counts against the limits of waiting audio. */
    private readonly onConverted: (bytes: number) => Promise<void>,
  ) {
    this.#files = files;
    this.#file = file;
  }

  /** Opens the audio until the reader is closed. @throws DamagedAudioError */
  open(): Promise<AudioReader> {
    return this.#files.open(this.#file);
  }

  /** Stores converted audio. @returns its length, which is to be kept */
  async writeConverted(audio: AsyncIterable<Uint8Array>): Promise<AudioLength> {
    let file = this.#toConverted({ received: 0, stored: 0 });
    let collected: Uint8Array[] = [];
    let size = 0;
    const flush = async () => {
      file = { ...file, ...(await this.#files.append(file, Buffer.concat(collected))) };
      [collected, size] = [[], 0];
    };
    for await (const chunk of audio) {
      collected.push(chunk);
      size += chunk.length;
      if (size >= WRITE_BYTES) await flush();
    }
    if (size > 0) await flush();
    await this.onConverted(file.stored);
    return { received: file.received, stored: file.stored };
  }

  /** Opens converted audio until the reader is closed. @throws DamagedAudioError */
  openConverted(length: AudioLength): Promise<AudioReader> {
    return this.#files.open(this.#toConverted(length));
  }

  #toConverted({ received, stored }: AudioLength): AudioFile {
    return { id: `${this.#file.id}.converted`, key: this.#file.key, received, stored };
  }

  /** Keeps a result for later attempts. When it returns, a kill doesn't lose it. */
  keep(name: string, result: unknown): Promise<void> {
    return this.#files.keep(this.#file, name, Buffer.from(JSON.stringify(result)));
  }

  /** Reads a result; null if it was not kept. */
  async recall<Result>(name: string): Promise<Result | null> {
    const kept = await this.#files.recall(this.#file, name);
    return kept === null ? null : (JSON.parse(kept.toString()) as Result);
  }
}

/** Number of bytes of converted audio that are made durable at once. */
const WRITE_BYTES = 4 * RECORD_BYTES;
