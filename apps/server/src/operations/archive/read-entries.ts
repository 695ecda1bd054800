import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { ExplainedError } from "@minutes/db";
import { Decrypter } from "age-encryption";
import { type Extract, extract } from "tar-stream";

/** One entry of an archive. */
export interface ArchiveEntry {
  readonly name: string;
  readonly content: AsyncIterable<Uint8Array>;
}

const ENCRYPTED = "age-encryption.org/";

/**
 * Reads the entries of an archive in order.
 * @throws ExplainedError if it is damaged, incomplete, or encrypted with another passphrase
 */
export async function* readArchive(file: string, passphrase: string | null): AsyncGenerator<ArchiveEntry> {
  const chunks = await openArchive(file, passphrase);
  const entries = extract();
  const input = pipeline(chunks, createGunzip(), entries);
  input.catch(() => {}); // the loop below fails with the same error
  for await (const { header, ...entry } of withDamageNamed(file, readEntries(entries))) {
    yield { name: header.name, content: withDamageNamed(file, entry.content) };
  }
}

async function* readEntries(entries: Extract) {
  for await (const entry of entries)
    yield { header: entry.header, content: entry as AsyncIterable<Uint8Array> };
}

/** Passes items through. @throws ExplainedError instead of errors of decompression and decryption */
async function* withDamageNamed<Item>(file: string, items: AsyncIterable<Item>): AsyncGenerator<Item> {
  try {
    yield* items;
  } catch (error) {
    // File system errors have a system call.
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error;
    throw new ExplainedError(`${file} is damaged or incomplete.`);
  }
}

/** Opens the file, decrypting it if necessary. */
async function openArchive(file: string, passphrase: string | null): Promise<AsyncIterable<Uint8Array>> {
  const handle = await open(file);
  const { buffer } = await handle.read(Buffer.alloc(ENCRYPTED.length), 0, ENCRYPTED.length, 0);
  await handle.close();
  const bytes = createReadStream(file);
  if (buffer.toString("latin1") !== ENCRYPTED) return bytes;
  if (passphrase === null) {
    bytes.destroy();
    throw new ExplainedError(`${file} is encrypted: set BACKUP_PASSPHRASE.`);
  }
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  try {
    const decrypted = await decrypter.decrypt(Readable.toWeb(bytes) as ReadableStream<Uint8Array>);
    return decrypted as unknown as AsyncIterable<Uint8Array>;
  } catch {
    bytes.destroy();
    throw new ExplainedError(
      `${file} can't be decrypted: BACKUP_PASSPHRASE is wrong, or the file is damaged.`,
    );
  }
}

/**
 * Reads an entry as text.
 * @param limit maximum size in bytes: a small archive can contain an entry that exceeds the memory
 * @throws ExplainedError if the entry is larger
 */
export async function readText(
  { name, content }: ArchiveEntry,
  limit: number,
  file: string,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > limit)
      throw new ExplainedError(`${file} is not a Minutes backup: its entry ${name} is too large.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
