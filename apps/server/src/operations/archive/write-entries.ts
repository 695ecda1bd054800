import { createHash } from "node:crypto";
import { createWriteStream, existsSync } from "node:fs";
import { link, open, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { ExplainedError } from "@minutes/db";
import { Encrypter } from "age-encryption";
import { type Pack, pack } from "tar-stream";
import { withPart } from "../temporary-files.js";

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
 * disk.
 * @throws ExplainedError if the file exists
 */
export const writeEntries = <Result>(
  file: string,
  passphrase: string | null,
  write: (archive: EntryWriter) => Promise<Result>,
): Promise<Result> =>
  withPart(file, async (part) => {
    if (existsSync(file)) throw createExistsError(file);
    // Opened first, so that an unwritable directory fails before the backup begins.
    await (await open(part, "wx", 0o600)).close();
    const entries = pack();
    const output = pipeline(
      entries,
      createGzip({ level: LEVEL }),
      async (chunks: AsyncIterable<Uint8Array>) => {
        const source = passphrase === null ? chunks : await encrypt(chunks, passphrase);
        await pipeline(source, createWriteStream(part, { flags: "r+", flush: true }));
      },
    );
    const writing = write(createEntryWriter(entries)).then(
      (result) => {
        entries.finalize();
        return result;
      },
      (error) => {
        entries.destroy(error);
        throw error;
      },
    );
    writing.catch(() => {}); // the output fails with it
    try {
      await output;
    } catch (error) {
      // On a full disk the output fails first, and the next entries would never be consumed.
      entries.destroy();
      await writing.catch(() => {});
      throw error;
    }
    // Unlike a rename, a link never replaces a file created in the meantime.
    await link(part, file).catch((error: NodeJS.ErrnoException) => {
      throw error.code === "EEXIST" ? createExistsError(file) : error;
    });
    await syncDirectory(dirname(file));
    return writing;
  });

const createExistsError = (file: string) => new ExplainedError(`${file} exists already.`);

/** The cost of new passphrases; null for age's default. */
let passphraseCost: number | null = null;

/** Makes guessing a new passphrase cost 2^`cost` blocks of scrypt. Null restores the default. Only for tests. */
export function setPassphraseCost(cost: number | null): void {
  passphraseCost = cost;
}

/** Encrypts with age's passphrase mode, which the program `age` also reads. */
async function encrypt(
  chunks: AsyncIterable<Uint8Array>,
  passphrase: string,
): Promise<AsyncIterable<Uint8Array>> {
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  if (passphraseCost !== null) encrypter.setScryptWorkFactor(passphraseCost);
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
    const entry = entries.entry(header, content, (error) => (error ? reject(error) : resolve()));
    const onEnd = () => reject(new Error("The archive ended before the entry was written."));
    entry.on("error", onEnd).on("close", onEnd);
  });

/** Syncs the directory's new entry to disk. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory);
  await handle.sync().finally(() => handle.close());
}
