import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import {
  access,
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  statfs,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";

const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Length of the plain text, nonce and tag before each record. */
const HEAD_BYTES = 4 + NONCE_BYTES + TAG_BYTES;

/** Number of bytes of audio that are encrypted and made durable at once. */
export const RECORD_BYTES = 256 * 1024;

/** Bytes of the disk that kept audio leaves to the database and to recordings that wait. */
const RESERVED_BYTES = 1024 ** 3;

/**
 * Files of a waiting recording: `trn_4fVq….audio`, and `trn_4fVq….answer-0.kept` for what its transcriber answered. Kept audio of a
 * meeting is `aud_4fVq….audio`. Beside them, `….orphan` marks those that nothing seems to refer to.
 */
const NAME = /^((trn|aud)_\w+)\.(?:[\w-]+\.)*(?:audio|kept|new|orphan)$/;

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
  /** True if all records but the last one have `RECORD_BYTES`, so that any can be found at once. */
  readonly even?: boolean;
}

/** Returns the length of a file whose records are even. */
export const toStoredLength = (size: number): number => size + Math.ceil(size / RECORD_BYTES) * HEAD_BYTES;

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
  /** @param kind begins the IDs of its files */
  constructor(
    readonly directory: string,
    private readonly kind: "trn" | "aud" = "trn",
  ) {}

  #path(id: string): string {
    return join(this.directory, `${id}.audio`);
  }

  #mark(id: string): string {
    return join(this.directory, `${id}.orphan`);
  }

  /** Creates the directory, readable only for this user. */
  async prepare(): Promise<void> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
  }

  /** Returns true if the disk has room for a file, and a gigabyte or a tenth of the disk, whichever is less, stays free. */
  async hasRoom(bytes: number): Promise<boolean> {
    const { bavail, blocks, bsize } = await statfs(this.directory);
    return bavail * bsize - bytes >= Math.min(RESERVED_BYTES, (blocks * bsize) / 10);
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

  /** Opens a file to read parts of it, until it is closed. @throws DamagedAudioError if it is gone */
  async open(file: AudioFile): Promise<AudioReader> {
    const handle = await open(this.#path(file.id), "r").catch((error: NodeJS.ErrnoException) => {
      throw error.code === "ENOENT" ? new DamagedAudioError("The audio is gone.") : error;
    });
    return new AudioReader(file, handle);
  }

  /** Returns true if there is audio with an ID. */
  has(id: string): Promise<boolean> {
    return access(this.#path(id)).then(
      () => true,
      (error) => ignoreMissing(error) !== null,
    );
  }

  /** Decrypts a whole file. @throws DamagedAudioError */
  async read(file: AudioFile): Promise<Buffer> {
    const reader = await this.open(file);
    return reader.read(0, file.received).finally(() => reader.close());
  }

  /** Keeps content beside a file, encrypted with its key. When it returns, the content is durable as a whole. */
  async keep({ id, key }: AudioFile, name: string, content: Uint8Array): Promise<void> {
    const path = join(this.directory, `${id}.${name}`);
    const unfinished = `${path}.${randomBytes(6).toString("hex")}.new`;
    const file = await open(unfinished, "wx", 0o600);
    try {
      await file.writeFile(encrypt(content, key, toPlace(id, name)));
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(unfinished, `${path}.kept`);
    await this.#syncDirectory();
  }

  /** Reads what was kept beside a file; null if there is nothing, or if it is damaged. */
  async recall({ id, key }: AudioFile, name: string): Promise<Buffer | null> {
    try {
      return decrypt(await readFile(join(this.directory, `${id}.${name}.kept`)), key, toPlace(id, name));
    } catch (error) {
      if (error instanceof DamagedAudioError || (error as NodeJS.ErrnoException).code === "ENOENT")
        return null;
      throw error;
    }
  }

  /** Marks a file that nothing seems to refer to. @returns when it was first marked, in Unix ms */
  async markOrphan(id: string): Promise<number> {
    await writeFile(this.#mark(id), "", { mode: 0o600, flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
    const mark = await stat(this.#mark(id)).catch(ignoreMissing);
    return Math.floor(mark?.mtimeMs ?? Date.now());
  }

  /** Removes the mark of a file that is needed after all. */
  unmarkOrphan(id: string): Promise<void> {
    return rm(this.#mark(id), { force: true });
  }

  /** Deletes a file with all that is kept beside it; no-op if there is none. */
  async remove(id: string): Promise<void> {
    // Nothing is kept beside the audio of a meeting, and there can be a hundred thousand of them.
    if (this.kind === "aud") {
      for (const path of [this.#path(id), this.#mark(id)]) await rm(path, { force: true });
      return;
    }
    for (const [name, of] of await this.#names())
      if (of === id) await rm(join(this.directory, name), { force: true });
  }

  /** Lists the IDs of all files. */
  async list(): Promise<string[]> {
    return [...new Set((await this.#names()).map(([, id]) => id))];
  }

  /** Lists the IDs of files that are marked as orphans. */
  async listMarked(): Promise<string[]> {
    return (await this.#names()).flatMap(([name, id]) => (name.endsWith(".orphan") ? [id] : []));
  }

  /** Lists all names with their IDs. Other files in the directory are none of ours. */
  async #names(): Promise<[name: string, id: string][]> {
    const names = await readdir(this.directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw error;
    });
    return names.flatMap((name) => {
      const [, id, kind] = NAME.exec(name) ?? [];
      return id === undefined || kind !== this.kind ? [] : [[name, id] as [string, string]];
    });
  }
}

/** Decrypts parts of an audio file, one record at a time. Reading forward is cheap; reading back begins at the start, unless it is even. */
export class AudioReader {
  /** Where the current record begins in the audio and in the file, and its audio, once decrypted. */
  #from = 0;
  #at = 0;
  #audio: Buffer | null = null;

  constructor(
    private readonly file: AudioFile,
    private readonly handle: FileHandle,
  ) {}

  get size(): number {
    return this.file.received;
  }

  /** Reads audio, less than asked for only at the end. @throws DamagedAudioError */
  async read(from: number, length: number): Promise<Buffer> {
    const audio = Buffer.alloc(Math.max(0, Math.min(length, this.size - from)));
    for (let done = 0; done < audio.length; ) {
      const record = await this.#find(from + done);
      done += record.copy(audio, done, from + done - this.#from);
    }
    return audio;
  }

  /** Yields all audio in order. @throws DamagedAudioError */
  async *stream(from = 0, to = this.size): AsyncGenerator<Buffer> {
    for (let at = from; at < to; at += RECORD_BYTES)
      yield await this.read(at, Math.min(RECORD_BYTES, to - at));
  }

  close(): Promise<void> {
    return this.handle.close();
  }

  /** Decrypts the record of a byte. */
  async #find(byte: number): Promise<Buffer> {
    const skipped = this.file.even ? Math.floor(byte / RECORD_BYTES) : 0;
    if (byte < this.#from || skipped * RECORD_BYTES > this.#from)
      [this.#from, this.#at, this.#audio] = [
        skipped * RECORD_BYTES,
        skipped * (HEAD_BYTES + RECORD_BYTES),
        null,
      ];
    for (;;) {
      const { id, key, received, stored } = this.file;
      const length = this.#audio?.length ?? (await readLength(this.handle, this.#at, received - this.#from));
      const end = this.#at + HEAD_BYTES + length;
      if (end > stored) throw new DamagedAudioError("The audio has another length.");
      if (byte < this.#from + length) {
        this.#audio ??= decrypt(
          await readRecord(this.handle, this.#at, length),
          key,
          toPlace(id, this.#from),
        );
        return this.#audio;
      }
      [this.#from, this.#at, this.#audio] = [this.#from + length, end, null];
    }
  }
}

/** Returns null for a file that doesn't exist. @throws any other error */
function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}

/** Names the place of a record in its file, or of what is kept beside it. */
const toPlace = (id: string, at: number | string): Buffer => Buffer.from(`${id} ${at}`);

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

/** Reads the length of a record's audio, which is at most a number of bytes. */
async function readLength(file: FileHandle, at: number, most: number): Promise<number> {
  const head = Buffer.alloc(4);
  const { bytesRead } = await file.read(head, 0, 4, at);
  const length = bytesRead === 4 ? head.readUInt32BE() : 0;
  if (length === 0 || length > Math.min(most, RECORD_BYTES))
    throw new DamagedAudioError("The audio is damaged.");
  return length;
}

async function readRecord(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const record = Buffer.alloc(HEAD_BYTES + length);
  const { bytesRead } = await file.read(record, 0, record.length, at);
  if (bytesRead !== record.length) throw new DamagedAudioError("The audio is cut off.");
  return record;
}

/** Time in ms after which a file is deleted that was found without a row: a server can have another database by mistake. */
const GRACE = 24 * 3_600_000;

/**
 * Deletes files that nobody needs: at once if their row says so, and a day after they were found without a row.
 * @param read returns whether files are needed, without those that have no row
 * @returns the number of deleted files
 */
export async function removeOrphanedFiles(
  files: AudioFiles,
  read: (ids: readonly string[]) => Promise<ReadonlyMap<string, boolean>>,
  grace = GRACE,
): Promise<number> {
  const found = await files.list();
  const marked = new Set(await files.listMarked());
  let removed = 0;
  for (let at = 0; at < found.length; at += 1_000) {
    const some = found.slice(at, at + 1_000);
    const needed = await read(some);
    for (const id of some) {
      if (needed.get(id) === true) {
        if (marked.has(id)) await files.unmarkOrphan(id);
        continue;
      }
      if (!needed.has(id) && (await files.markOrphan(id)) > Date.now() - grace) continue;
      await files.remove(id);
      removed++;
    }
  }
  return removed;
}
