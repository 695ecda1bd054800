import type { Readable } from "node:stream";
import { type Entry, fromBuffer, type ZipFile } from "yauzl";
import { TranscriptError } from "./transcript.js";

/** A file in a ZIP archive. */
export interface ZippedFile {
  readonly name: string;
  /** Last modification: ISO 8601; without a zone in the archive, so read as UTC. */
  readonly modifiedAt: string;
  readonly bytes: Uint8Array;
}

/** Maximum size of the files read from an archive together, in bytes. */
export const MOST_UNZIPPED = 64 * 1024 * 1024;
/** Maximum number of entries of an archive. */
const MOST_ENTRIES = 10_000;

const TOO_LARGE = `The archive holds more than ${MOST_UNZIPPED / 1024 / 1024} MB or ${MOST_ENTRIES.toLocaleString("en")} files. Split it.`;
const BROKEN = "The archive can't be read. Unpack it and import its files.";

/** Returns true for the bytes of a ZIP archive, which a Word document is, too. */
export const isZip = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;

/**
 * Reads the files of an archive whose names are accepted. Sizes are bounded by what is read, not by what the archive
 * claims.
 * @throws TranscriptError for an archive that is broken, encrypted or too large
 */
export async function unzip(bytes: Uint8Array, accept: (name: string) => boolean): Promise<ZippedFile[]> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const archive = await openArchive(buffer).catch(() => {
    throw new TranscriptError(null, BROKEN);
  });
  if (archive.entryCount > MOST_ENTRIES) throw new TranscriptError(null, TOO_LARGE);
  const files: ZippedFile[] = [];
  let left = MOST_UNZIPPED;
  try {
    for await (const entry of listEntries(archive)) {
      if (!accept(entry.fileName)) continue;
      left -= entry.uncompressedSize;
      if (left < 0) throw new TranscriptError(null, TOO_LARGE);
      const modifiedAt = toInstant(entry);
      files.push({ name: entry.fileName, modifiedAt, bytes: await readEntry(archive, entry) });
    }
  } catch (error) {
    throw error instanceof TranscriptError ? error : new TranscriptError(null, BROKEN);
  } finally {
    archive.close();
  }
  return files;
}

const openArchive = (buffer: Buffer): Promise<ZipFile> =>
  new Promise((resolve, reject) =>
    fromBuffer(buffer, { lazyEntries: true }, (error, archive) =>
      error || !archive ? reject(error) : resolve(archive),
    ),
  );

async function* listEntries(archive: ZipFile): AsyncGenerator<Entry> {
  for (;;) {
    const entry = await new Promise<Entry | null>((resolve, reject) => {
      const settle = (act: () => void) => {
        archive.removeAllListeners();
        act();
      };
      archive.once("entry", (next: Entry) => settle(() => resolve(next)));
      archive.once("end", () => settle(() => resolve(null)));
      archive.once("error", (error) => settle(() => reject(error)));
      archive.readEntry();
    });
    if (entry === null) return;
    yield entry;
  }
}

/** Reads an entry. The library ends with an error when it has more bytes than it claims. */
async function readEntry(archive: ZipFile, entry: Entry): Promise<Uint8Array> {
  const stream = await new Promise<Readable>((resolve, reject) =>
    archive.openReadStream(entry, (error, opened) => (error || !opened ? reject(error) : resolve(opened))),
  );
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return new Uint8Array(Buffer.concat(parts));
}

function toInstant(entry: Entry): string {
  const date = entry.getLastModDate({ timezone: "UTC" });
  return Number.isNaN(date.getTime()) ? new Date(0).toISOString() : date.toISOString();
}
