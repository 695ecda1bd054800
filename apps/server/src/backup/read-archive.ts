import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { Decrypter } from "age-encryption";
import { type Extract, extract } from "tar-stream";
import { BackupError } from "./format.js";

/** One entry of an archive. */
export interface ArchiveEntry {
  readonly name: string;
  readonly isDirectory: boolean;
  readonly content: AsyncIterable<Uint8Array>;
}

const ENCRYPTED = "age-encryption.org/";

/**
 * Reads the entries of an archive in their order.
 * @throws BackupError when it is damaged, unfinished, or encrypted with another passphrase
 */
export async function* readArchive(file: string, passphrase: string | null): AsyncGenerator<ArchiveEntry> {
  const chunks = await openArchive(file, passphrase);
  const entries = extract();
  const input = pipeline(chunks, createGunzip(), entries);
  input.catch(() => {}); // the loop below fails with the same error
  for await (const { header, ...entry } of withDamageNamed(file, readEntries(entries))) {
    const content = withDamageNamed(file, entry.content);
    yield { name: header.name, isDirectory: header.type === "directory", content };
  }
}

async function* readEntries(entries: Extract) {
  for await (const entry of entries)
    yield { header: entry.header, content: entry as AsyncIterable<Uint8Array> };
}

/** Passes on what it reads. @throws BackupError instead of the faults of a decompressor or decryption */
async function* withDamageNamed<Item>(file: string, items: AsyncIterable<Item>): AsyncGenerator<Item> {
  try {
    yield* items;
  } catch (error) {
    // Faults of the disk name their system call.
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error;
    throw new BackupError(`${file} is damaged, or was not finished.`);
  }
}

/** Opens the file, decrypted where it is encrypted. */
async function openArchive(file: string, passphrase: string | null): Promise<AsyncIterable<Uint8Array>> {
  const handle = await open(file);
  const { buffer } = await handle.read(Buffer.alloc(ENCRYPTED.length), 0, ENCRYPTED.length, 0);
  await handle.close();
  const bytes = createReadStream(file);
  if (buffer.toString("latin1") !== ENCRYPTED) return bytes;
  if (passphrase === null) {
    bytes.destroy();
    throw new BackupError(`${file} is encrypted: set BACKUP_PASSPHRASE.`);
  }
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  try {
    const decrypted = await decrypter.decrypt(Readable.toWeb(bytes) as ReadableStream<Uint8Array>);
    return decrypted as unknown as AsyncIterable<Uint8Array>;
  } catch {
    bytes.destroy();
    throw new BackupError(
      `${file} can't be decrypted: BACKUP_PASSPHRASE is another one, or the file is damaged.`,
    );
  }
}
