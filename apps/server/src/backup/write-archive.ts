import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { link, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { Encrypter } from "age-encryption";
import { type Pack, pack } from "tar-stream";
import { BackupError } from "./format.js";

/** Bytes that are read at once. */
const BLOCK = 1 << 20;
/** The compression that takes little time. */
const LEVEL = 3;

/** Writes the entries of an archive, one after another. */
export interface ArchiveWriter {
  /** Adds a file as it is now. @returns its SHA-256, or null when there is no such file any more */
  addFile(name: string, path: string): Promise<string | null>;
  addText(name: string, text: string): Promise<void>;
  addDirectory(name: string): Promise<void>;
}

/**
 * Writes an archive: tar, gzip and, with a passphrase, age. The file gets its name when it is complete and on the disk:
 * whatever ends the process before leaves a file with `.part` at its end.
 * @throws BackupError when the file exists
 */
export async function writeArchive(
  file: string,
  passphrase: string | null,
  write: (archive: ArchiveWriter) => Promise<void>,
): Promise<void> {
  const part = `${file}.${process.pid}.part`;
  const entries = pack();
  const compressed = createGzip({ level: LEVEL });
  // Opened first, so that a directory that can't be written to ends the backup before it begins.
  await (await open(part, "wx", 0o600)).close();
  try {
    const output = pipeline(entries, compressed, async (chunks: AsyncIterable<Uint8Array>) => {
      const source = passphrase === null ? chunks : await encrypt(chunks, passphrase);
      await pipeline(source, createWriteStream(part, { flags: "r+", flush: true }));
    });
    const writing = write(createArchiveWriter(entries)).then(() => entries.finalize());
    // A disk that is full ends the output, and the entries are then never taken.
    await Promise.race([Promise.all([writing, output]), output.then(() => writing)]);
    // Unlike a rename, a link never replaces a file that was made meanwhile.
    await link(part, file).catch((error: NodeJS.ErrnoException) => {
      throw error.code === "EEXIST" ? new BackupError(`${file} exists already.`) : error;
    });
    await syncDirectory(dirname(file));
  } finally {
    entries.destroy();
    await rm(part, { force: true });
  }
}

/** Encrypts with age's passphrase mode, which the program `age` reads as well. */
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

function createArchiveWriter(entries: Pack): ArchiveWriter {
  return {
    addFile: async (name, path) => {
      const handle = await open(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return null;
        throw error;
      });
      if (!handle) return null;
      try {
        const { size } = await handle.stat();
        const hash = createHash("sha256");
        await new Promise<void>((resolve, reject) => {
          const entry = entries.entry({ name, size, mode: 0o600 }, (error) =>
            error ? reject(error) : resolve(),
          );
          const copy = async () => {
            for (let at = 0; at < size; ) {
              const block = Buffer.alloc(Math.min(BLOCK, size - at));
              const { bytesRead } = await handle.read(block, 0, block.length, at);
              // A file that was cut meanwhile goes on with zeros: the log cuts it again.
              const bytes = bytesRead === 0 ? block : block.subarray(0, bytesRead);
              hash.update(bytes);
              at += bytes.length;
              if (!entry.write(bytes)) await new Promise((drained) => entry.once("drain", drained));
            }
            entry.end();
          };
          copy().catch(reject);
        });
        return hash.digest("hex");
      } finally {
        await handle.close();
      }
    },
    addText: (name, text) => addEntry(entries, { name, mode: 0o600 }, text),
    addDirectory: (name) => addEntry(entries, { name, type: "directory", mode: 0o700 }, ""),
  };
}

const addEntry = (entries: Pack, header: Parameters<Pack["entry"]>[0], text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    entries.entry(header, text, (error) => (error ? reject(error) : resolve()));
  });

/** Waits until the directory's new entry is on the disk. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory);
  await handle.sync().finally(() => handle.close());
}
