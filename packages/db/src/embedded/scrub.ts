import type { PGlite } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";
import { computeChecksum, PAGE } from "./page-checksum.js";

/** Main files of tables and indexes. Free space and visibility maps have another layout. */
const RELATION = /\/(?:base\/\d+|global)\/\d+(?:\.(\d+))?$/;
/** Number of pages per file: 1 GB. */
const FILE_PAGES = 131_072;
/** Page size and layout version, as stored in a page header. */
const LAYOUT = PAGE | 4;
const HEADER = 24;
/**
 * Length of a B-tree page's trailer in bytes, and the maximum of its last two bytes, which tell it from other indexes.
 */
const BTREE_SPECIAL = 16;
const BTREE_LAST = 0xff7f;

type Write = (
  stream: { readonly path: string },
  buffer: Uint8Array | Int8Array,
  offset: number,
  length: number,
  position?: number,
  canOwn?: boolean,
) => number;

interface FileSystem {
  write: Write;
}

/**
 * The files of a database, with the free space in their pages zeroed. PostgreSQL frees the space of deleted rows and
 * index entries but keeps their bytes until the space is reused, so erased text would remain on disk.
 * @see docs/decisions/0259-embedded-maintenance.md
 */
export class ScrubbedFiles extends NodeFS {
  override async init(...[engine, options]: Parameters<NodeFS["init"]>): ReturnType<NodeFS["init"]> {
    const { emscriptenOpts } = await super.init(engine, options);
    // Runs before the engine starts, because crash recovery also writes pages.
    const preRun = [...[emscriptenOpts.preRun ?? []].flat(), ({ FS }: PGlite["Module"]) => scrubWrites(FS)];
    return { emscriptenOpts: { ...emscriptenOpts, preRun } };
  }
}

/** Zeroes the free space of every page written from now on. */
function scrubWrites(files: unknown): void {
  const system = files as FileSystem;
  const { write } = system;
  system.write = (stream, buffer, offset, length, position, canOwn) => {
    const file = RELATION.exec(stream.path);
    if (file && position !== undefined && position % PAGE === 0 && length % PAGE === 0) {
      const first = Number(file[1] ?? 0) * FILE_PAGES + position / PAGE;
      for (let page = 0; page * PAGE < length; page++)
        scrubPage(buffer.buffer, buffer.byteOffset + offset + page * PAGE, first + page);
    }
    return write.call(system, stream, buffer, offset, length, position, canOwn);
  };
}

/** Zeroes the space between line pointers and rows, if the page belongs to a table or a B-tree. */
function scrubPage(memory: ArrayBufferLike, start: number, block: number): void {
  if (start % 4 !== 0) return;
  const header = new Uint16Array(memory, start, PAGE / 2);
  const [checksum = 0, , lower = 0, upper = 0, special = 0, layout = 0] = header.subarray(4, 10);
  if (layout !== LAYOUT || lower < HEADER || lower > upper || upper > special || special > PAGE) return;
  const isTable = special === PAGE;
  const isBtree = special === PAGE - BTREE_SPECIAL && (header[PAGE / 2 - 1] ?? 0) <= BTREE_LAST;
  if (!isTable && !isBtree) return;
  const room = new Uint8Array(memory, start + lower, upper - lower);
  if (isZero(room)) return;
  const words = new Uint32Array(memory, start, PAGE / 4);
  // 0 means the database has no checksums. Any other mismatch means that this is not a page in the known layout.
  if (checksum !== 0 && computeChecksum(words, block) !== checksum) return;
  room.fill(0);
  if (checksum !== 0) header[4] = computeChecksum(words, block);
}

function isZero(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at++) if (bytes[at] !== 0) return false;
  return true;
}
