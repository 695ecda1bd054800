import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Length of the plain text, nonce and tag before each record. */
const HEAD_BYTES = 4 + NONCE_BYTES + TAG_BYTES;

/** Number of bytes of audio that are encrypted and made durable at once. */
export const RECORD_BYTES = 256 * 1024;

/** Files of waiting audio: `trn_4fVq….audio`. */
const NAME = /^(trn_\w+)\.audio$/;

/** How much of an audio file is durable. */
export interface AudioLength {
  /** Bytes of audio. */
  readonly received: number;
  /** Bytes of the encrypted file. */
  readonly stored: number;
}

/** The key and the durable length of an encrypted audio file. */
export interface AudioFile extends AudioLength {
  readonly id: string;
  readonly key: Uint8Array;
}

/** The audio on disk can't be decrypted, or is not as long as it was. */
export class DamagedAudioError extends Error {
  override name = "DamagedAudioError";
}

export const generateFileKey = (): Uint8Array => randomBytes(KEY_BYTES);

/**
 * Encrypted audio in a directory. A file is a sequence of records, each bound to its file and place, so that none can be
 * changed, moved or left out. Its length is kept elsewhere: what a killed process wrote behind is overwritten.
 */
export class AudioFiles {
  constructor(readonly directory: string) {}

  #path(id: string): string {
    return join(this.directory, `${id}.audio`);
  }

  /** Creates the directory, readable only for this user. */
  async prepare(): Promise<void> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
  }

  /** Appends audio. @returns the new length, once it is durable */
  async append({ id, key, received, stored }: AudioFile, audio: Uint8Array): Promise<AudioLength> {
    const file = await open(this.#path(id), constants.O_WRONLY | constants.O_CREAT, 0o600);
    let [from, at] = [received, stored];
    try {
      for (let start = 0; start < audio.length; start += RECORD_BYTES) {
        const record = encrypt(audio.subarray(start, start + RECORD_BYTES), key, toPlace(id, from));
        await file.write(record, 0, record.length, at);
        at += record.length;
        from += record.length - HEAD_BYTES;
      }
      await file.datasync();
    } finally {
      await file.close();
    }
    if (stored === 0) await this.#syncDirectory();
    return { received: from, stored: at };
  }

  /** Makes a new file's name durable. */
  async #syncDirectory(): Promise<void> {
    if (process.platform === "win32") return;
    const directory = await open(this.directory, "r");
    await directory.sync().finally(() => directory.close());
  }

  /** Decrypts a whole file. @throws DamagedAudioError */
  async read({ id, key, received, stored }: AudioFile): Promise<Buffer> {
    const audio = Buffer.alloc(received);
    const file = await open(this.#path(id), "r").catch((error: NodeJS.ErrnoException) => {
      throw error.code === "ENOENT" ? new DamagedAudioError("The audio is gone.") : error;
    });
    let [from, at] = [0, 0];
    try {
      while (at < stored) {
        const record = await readRecord(file, at, received - from);
        audio.set(decrypt(record, key, toPlace(id, from)), from);
        from += record.length - HEAD_BYTES;
        at += record.length;
      }
    } finally {
      await file.close();
    }
    if (from !== received || at !== stored) throw new DamagedAudioError("The audio has another length.");
    return audio;
  }

  /** Deletes a file; no-op if there is none. */
  remove(id: string): Promise<void> {
    return rm(this.#path(id), { force: true });
  }

  /** Lists the IDs of all files. Other files in the directory are none of ours. */
  async list(): Promise<string[]> {
    const names = await readdir(this.directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw error;
    });
    return names.flatMap((name) => NAME.exec(name)?.[1] ?? []);
  }
}

const toPlace = (id: string, from: number): Buffer => Buffer.from(`${id} ${from}`);

function encrypt(audio: Uint8Array, key: Uint8Array, place: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(place);
  const text = Buffer.concat([cipher.update(audio), cipher.final()]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, nonce, cipher.getAuthTag(), text]);
}

function decrypt(record: Buffer, key: Uint8Array, place: Buffer): Buffer {
  const [nonce, tag] = [record.subarray(4, 4 + NONCE_BYTES), record.subarray(4 + NONCE_BYTES, HEAD_BYTES)];
  try {
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(place)
      .setAuthTag(tag);
    return Buffer.concat([decipher.update(record.subarray(HEAD_BYTES)), decipher.final()]);
  } catch {
    throw new DamagedAudioError("The audio can't be decrypted.");
  }
}

/** Reads a record that has at most a number of bytes of audio. */
async function readRecord(file: FileHandle, at: number, most: number): Promise<Buffer> {
  const length = Buffer.alloc(4);
  const { bytesRead } = await file.read(length, 0, 4, at);
  const audio = bytesRead === 4 ? length.readUInt32BE() : 0;
  if (audio === 0 || audio > Math.min(most, RECORD_BYTES))
    throw new DamagedAudioError("The audio is damaged.");
  const record = Buffer.alloc(HEAD_BYTES + audio);
  const read = await file.read(record, 0, record.length, at);
  if (read.bytesRead !== record.length) throw new DamagedAudioError("The audio is cut off.");
  return record;
}
