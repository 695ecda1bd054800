import { type AudioSource, findMp4Index } from "@minutes/transcripts/audio";
import { ConversionError } from "./convert.js";

/** A recording that is read in parts or as a whole. */
export interface StreamedAudio extends AudioSource {
  stream(from?: number, to?: number): AsyncIterable<Uint8Array>;
}

/** Maximum length in bytes of an index, which is held in memory: that of twelve hours with a picture has less. */
const INDEX_BYTES = 24 * 1024 * 1024;

/** Boxes on the way from the index to the places of the sound. */
const CONTAINERS = ["trak", "mdia", "minf", "stbl"];

/**
 * Streams an M4A with its index first, because a pipe can't be read from its end. Most recorders write it last. Otherwise the
 * recording would have to be on disk as plain text.
 * @throws ConversionError
 */
export async function* streamMp4(source: StreamedAudio): AsyncGenerator<Uint8Array> {
  const index = await findMp4Index(source);
  if (index === null) throw new ConversionError("unreadable");
  if (!index.isLate) return yield* source.stream();
  const { at, length, brandLength } = index;
  if (length > INDEX_BYTES) throw new ConversionError("unreadable");
  const box = await source.read(at, length);
  movePlaces(box, 8, box.length, { by: length, before: at });
  yield* source.stream(0, brandLength);
  yield box;
  yield* source.stream(brandLength, at);
  yield* source.stream(at + length);
}

/** How far places move that are before a position in the file. */
interface Move {
  readonly by: number;
  readonly before: number;
}

/** Moves the places of the sound that an index names, within a range of its bytes. */
function movePlaces(box: Buffer, from: number, to: number, move: Move, depth = 0): void {
  for (let at = from; at + 8 <= to; ) {
    const size = box.readUInt32BE(at);
    if (size < 8 || at + size > to) throw new ConversionError("unreadable");
    const type = box.toString("latin1", at + 4, at + 8);
    if (type === CONTAINERS[depth]) movePlaces(box, at + 8, at + size, move, depth + 1);
    else if (depth === CONTAINERS.length && (type === "stco" || type === "co64"))
      moveTable(box.subarray(at + 8, at + size), type === "co64" ? 8 : 4, move);
    at += size;
  }
}

/** Moves the places of a table: version and flags, a number of entries, and that many places. */
function moveTable(table: Buffer, width: 4 | 8, { by, before }: Move): void {
  const end = Math.min(table.length, 8 + width * (table.length < 8 ? 0 : table.readUInt32BE(4)));
  for (let at = 8; at + width <= end; at += width) {
    const place = width === 4 ? table.readUInt32BE(at) : Number(table.readBigUInt64BE(at));
    if (place >= before) continue;
    if (width === 4) table.writeUInt32BE(place + by, at);
    else table.writeBigUInt64BE(BigInt(place + by), at);
  }
}
