import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { link, open, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { ExplainedError } from "@minutes/db";
import { Encrypter } from "age-encryption";
import { type Pack, pack } from "tar-stream";
import { namePart } from "./parts.js";

/** Fast compression. */
const LEVEL = 3;

/** Writes the entries of an archive in order. */
export interface EntryWriter {
  /** Adds a small file. @returns its SHA-256, or null if it does not exist */
  addFile(name: string, path: string): Promise<string | null>;
  addText(name: string, text: string): Promise<void>;
}

/**
 * Writes an archive: tar, gzip and, with a passphrase, age. The file gets its name once it is complete and synced to
 * disk; an interrupted one ends with `.minutes-part`.
 * @throws ExplainedError if the file exists
 */
export async function writeEntries<Result>(
  file: string,
  passphrase: string | null,
  write: (archive: EntryWriter) => Promise<Result>,
): Promise<Result> {
  const part = namePart(file);
  const entries = pack();
  const compressed = createGzip({ level: LEVEL });
  // Opened first, so that an unwritable directory fails before the backup begins.
  await (await open(part, "wx", 0o600)).close();
  try {
    const output = pipeline(entries, compressed, async (chunks: AsyncIterable<Uint8Array>) => {
      const source = passphrase === null ? chunks : await encrypt(chunks, passphrase);
      await pipeline(source, createWriteStream(part, { flags: "r+", flush: true }));
    });
    const writing = write(createEntryWriter(entries)).then((result) => {
      entries.finalize();
      return result;
    });
    // On a full disk the output ends, and the remaining entries would never be consumed.
    await Promise.race([Promise.all([writing, output]), output.then(() => writing)]);
    // Unlike a rename, a link never replaces a file created in the meantime.
    await link(part, file).catch((error: NodeJS.ErrnoException) => {
      throw error.code === "EEXIST" ? new ExplainedError(`${file} exists already.`) : error;
    });
    await syncDirectory(dirname(file));
    return await writing;
  } finally {
    entries.destroy();
    await rm(part, { force: true });
  }
}

/** Encrypts with age's passphrase mode, which the program `age` also reads. */
async function encrypt(
  chunks: AsyncIterable<Uint8Array>,
  passphrase: string,
): Promise<AsyncIterable<Uint8Array>> {
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  const encrypted = await encrypter.encrypt(
    Readable.toWeb(Readable.from(chunks)) as ReadableStream<Uint8Array>,
  );
  return encrypted as unknown as AsyncIterable<Uint8Array>;
}

function createEntryWriter(entries: Pack): EntryWriter {
  return {
    addFile: async (name, path) => {
      const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return null;
        throw error;
      });
      if (!bytes) return null;
      await addEntry(entries, { name, mode: 0o600 }, bytes);
      return createHash("sha256").update(bytes).digest("hex");
    },
    addText: (name, text) => addEntry(entries, { name, mode: 0o600 }, text),
  };
}

const addEntry = (
  entries: Pack,
  header: Parameters<Pack["entry"]>[0],
  content: string | Buffer,
): Promise<void> =>
  new Promise((resolve, reject) => {
    entries.entry(header, content, (error) => (error ? reject(error) : resolve()));
  });

/** Syncs the directory's new entry to disk. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory);
  await handle.sync().finally(() => handle.close());
}
