/** Size of a page in bytes, and of a file of a relation in pages. */
export const PAGE = 8_192;
const WORDS = PAGE / 4;
/** Number of parallel sums, and the FNV-1a prime. */
const SUMS = 32;
const PRIME = 16_777_619;
/** Index of the word with the checksum in its lower half, which counts as zero. */
const CHECKSUM_WORD = 2;

/** Initial values of the sums, from PostgreSQL's `checksum_impl.h`. */
const BASE = Uint32Array.of(
  ...[0x5b1f36e9, 0xb8525960, 0x02ab50aa, 0x1de66d2a, 0x79ff467a, 0x9bb9f8a3, 0x217e7cd2, 0x83e13d2c],
  ...[0xf8d4474f, 0xe39eb970, 0x42c6ae16, 0x993216fa, 0x7b093b5d, 0x98daff3c, 0xf718902a, 0x0b1c9cdb],
  ...[0xe58f764b, 0x187636bc, 0x5d7b3bb1, 0xe73de7de, 0x92bec979, 0xcca6c0b2, 0x304a0979, 0x85aa43d4],
  ...[0x783125bb, 0x6ca8eaa2, 0xe407eac6, 0x4b5cfc3e, 0x9fbf8c76, 0x15ca20be, 0xf2ca9fd3, 0x959bd756],
);

const step = (sum: number, word: number): number => {
  const mixed = sum ^ word;
  return Math.imul(mixed, PRIME) ^ (mixed >>> 17);
};

/**
 * Computes the checksum that PostgreSQL stores in a page.
 * @param page words of the page in the processor's byte order, which the file uses
 * @param block the page's number in the relation
 */
export function computeChecksum(page: Uint32Array, block: number): number {
  const sums = Uint32Array.from(BASE);
  for (let at = 0; at < WORDS; at++) {
    const word = page[at] ?? 0;
    sums[at % SUMS] = step(sums[at % SUMS] ?? 0, at === CHECKSUM_WORD ? word & 0xffff0000 : word);
  }
  let result = block;
  for (const sum of sums) result ^= step(step(sum, 0), 0);
  return ((result >>> 0) % 65_535) + 1;
}
