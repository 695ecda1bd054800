import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { type FileHandle, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { TranscriberError } from "@minutes/core";
import { AudioFiles, type AudioLength } from "@minutes/core/transcriptions";
import type { HeardRecording } from "../audio/hear.js";
import { describeFileFault } from "../file-fault.js";

/** Progress of a recording that is transcribed in parts. */
export interface Parts {
  readonly finished: number;
  readonly total: number;
}

/** ID and encryption key, both derived from a recording's content. */
export interface RecordingIdentity {
  readonly id: string;
  /** Can't be derived without the recording. */
  readonly key: Uint8Array;
}

/** Time in ms after which saved progress that no import resumes is deleted. */
const EXPIRY = 7 * 24 * 3_600_000;

/**
 * Keeps what was heard of a recording until it is imported, so that a repeated command goes on. It is encrypted with a key that is
 * derived from the recording and stored nowhere.
 */
export class Unfinished implements HeardRecording {
  readonly #files: AudioFiles;
  readonly #file: RecordingIdentity & AudioLength;
  #fault: unknown;
  #spool: Spool | null = null;
  #converted: unknown = null;
  readonly turn: HeardRecording["turn"];

  private constructor(
    files: AudioFiles,
    file: RecordingIdentity,
    onProgress: (parts: Parts) => void,
    fault: unknown,
  ) {
    this.#files = files;
    this.#file = { ...file, received: 0, stored: 0 };
    this.#fault = fault;
    this.turn = { isOver: false, advance: async (finished, total) => onProgress({ finished, total }) };
  }

  /** Opens a recording's saved progress, and deletes all that has expired. If the directory isn't writable, nothing is saved. */
  static async open(
    directory: string,
    file: RecordingIdentity,
    onProgress: (parts: Parts) => void,
  ): Promise<Unfinished> {
    const files = new AudioFiles(directory);
    const fault = await files.prepare().then(
      () => removeOld(directory),
      (error: unknown) => error,
    );
    return new Unfinished(files, file, onProgress, fault);
  }

  async keep(name: string, result: unknown): Promise<void> {
    if (name === CONVERTED) {
      // Another version of ffmpeg can cut the audio differently, which makes earlier answers useless.
      const before = await this.#recall(name);
      if (before !== null && JSON.stringify(before) !== JSON.stringify(result)) await this.forget();
      this.#converted = result;
    }
    if (this.#fault) return;
    // On a full disk, what was heard is still imported.
    await this.#files.keep(this.#file, name, Buffer.from(JSON.stringify(result))).catch((error: unknown) => {
      this.#fault = error;
    });
  }

  async recall<Result>(name: string): Promise<Result | null> {
    // Converted audio is not kept.
    return (name === CONVERTED ? this.#converted : await this.#recall(name)) as Result | null;
  }

  async #recall(name: string): Promise<unknown> {
    const kept = this.#fault ? null : await this.#files.recall(this.#file, name);
    return kept === null ? null : JSON.parse(kept.toString());
  }

  async writeConverted(audio: AsyncIterable<Uint8Array>): Promise<AudioLength> {
    if (this.#fault)
      throw new TranscriberError(describeFileFault(this.#fault) ?? "DATA_DIR can't be used.", "service");
    await this.#spool?.close();
    this.#spool = await Spool.create(this.#files.directory);
    const received = await this.#spool.write(audio);
    return { received, stored: received };
  }

  async openConverted() {
    const spool = this.#spool;
    if (!spool) throw new Error("nothing is converted");
    return { read: (from: number, length: number) => spool.read(from, length), close: async () => {} };
  }

  /** Deletes what is kept. */
  async forget(): Promise<void> {
    await this.#files.remove(this.#file.id).catch((error: unknown) => {
      if (!this.#fault) throw error;
    });
  }

  async close(): Promise<void> {
    await this.#spool?.close();
  }
}

const CONVERTED = "converted";

/** Our files: `trn_4fVq….answer-0.kept` and others of a transcription, and `1f….spool`. Other files are never deleted. */
const OURS = /^(trn_[\w-]+\..*\.(kept|new)|[\da-f]{16}\.spool)$/;

/** Deletes those files of a directory that are too old. */
async function removeOld(directory: string): Promise<void> {
  for (const name of (await readdir(directory)).filter((one) => OURS.test(one))) {
    const path = join(directory, name);
    const found = await stat(path).catch(() => null);
    if (found?.isFile() && found.mtimeMs < Date.now() - EXPIRY) await rm(path, { force: true });
  }
}

const ALGORITHM = "aes-256-ctr";
const BLOCK_BYTES = 16;

/** An unlinked temporary file, encrypted with a key in memory: nothing is left when the process ends. */
class Spool {
  readonly #key = randomBytes(32);

  private constructor(private readonly file: FileHandle) {}

  static async create(directory: string): Promise<Spool> {
    const path = join(directory, `${randomBytes(8).toString("hex")}.spool`);
    const file = await open(path, "wx+", 0o600);
    await rm(path);
    return new Spool(file);
  }

  /** Writes all. @returns the number of bytes */
  async write(content: AsyncIterable<Uint8Array>): Promise<number> {
    const cipher = createCipheriv(ALGORITHM, this.#key, toCounter(0));
    let bytes = 0;
    for await (const chunk of content) {
      await this.file.appendFile(cipher.update(chunk));
      bytes += chunk.length;
    }
    return bytes;
  }

  async read(from: number, length: number): Promise<Buffer> {
    const before = from % BLOCK_BYTES;
    const { buffer, bytesRead } = await this.file.read(
      Buffer.alloc(before + length),
      0,
      before + length,
      from - before,
    );
    const decipher = createDecipheriv(ALGORITHM, this.#key, toCounter((from - before) / BLOCK_BYTES));
    return decipher.update(buffer.subarray(0, bytesRead)).subarray(before);
  }

  close(): Promise<void> {
    return this.file.close();
  }
}

function toCounter(block: number): Buffer {
  const counter = Buffer.alloc(BLOCK_BYTES);
  counter.writeUInt32BE(block, BLOCK_BYTES - 4);
  return counter;
}
