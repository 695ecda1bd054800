import { parentPort } from "node:worker_threads";
import type { Ask } from "./thread.js";

/** Approximate size of a piece in characters. Receiving one takes about a millisecond. */
const PIECE = 128 * 1024;
/** Size of a value that is not a text, in characters. */
const VALUE = 16;

type Path = readonly (string | number)[];

/** Part of an answer: the answer without its long lists, or items of one of these lists. */
export interface Piece {
  readonly value: unknown;
  /** Where the list is in the answer; null for the answer itself. */
  readonly list: Path | null;
  /** Number of pieces that follow. */
  readonly left: number;
}

/**
 * Answers the questions of `askInPieces`. To be called in a worker thread, once. An answer is plain JSON, which this takes
 * apart: receiving a hundred thousand objects in one message would block the receiver for a tenth of a second.
 */
export function answerInPieces<Question>(answer: (question: Question) => unknown): void {
  let pieces: Piece[] = [];
  // A rejection ends the thread, as an exception does.
  parentPort?.on("message", async (question: Question | null) => {
    if (question !== null) pieces = cutIntoPieces(await answer(question));
    parentPort?.postMessage(pieces.shift());
  });
}

/** Asks a thread that uses `answerInPieces`, and puts the answer together. @param transfer buffers that move to the thread */
export async function askInPieces<Question, Answer>(
  ask: Ask<Question | null, Piece>,
  question: Question,
  transfer: readonly ArrayBuffer[] = [],
): Promise<Answer> {
  const { value, left } = await ask(question, transfer);
  for (let nth = 0; nth < left; nth++) {
    const piece = await ask(null);
    const list = (piece.list ?? []).reduce<unknown>(
      (part, key) => (part as Record<Path[0], unknown>)[key],
      value,
    );
    for (const item of piece.value as unknown[]) (list as unknown[]).push(item);
  }
  return value as Answer;
}

function cutIntoPieces(answer: unknown): Piece[] {
  const lists: { path: Path; pieces: unknown[][] }[] = [];
  const path: (string | number)[] = [];

  /** Takes long lists out of a value. @returns the size of the rest */
  const cut = (value: unknown): number => {
    if (typeof value === "string") return VALUE + value.length;
    if (typeof value !== "object" || value === null) return VALUE;
    const sizes = Object.entries(value).map(([key, part]) => {
      path.push(key);
      const size = cut(part);
      path.pop();
      return size;
    });
    const size = sizes.reduce((sum, part) => sum + part, VALUE);
    if (!Array.isArray(value) || size <= PIECE) return size;
    lists.push({ path: [...path], pieces: groupBySize(value.splice(0), sizes) });
    return VALUE;
  };

  cut(answer);
  // A list comes before those in its items.
  const rest = lists.reverse().flatMap(({ path: list, pieces }) => pieces.map((value) => ({ value, list })));
  return [{ value: answer, list: null }, ...rest].map((piece, nth) => ({
    ...piece,
    left: rest.length - nth,
  }));
}

function groupBySize(items: readonly unknown[], sizes: readonly number[]): unknown[][] {
  const groups: unknown[][] = [];
  let room = 0;
  items.forEach((item, at) => {
    const size = sizes[at] ?? 0;
    if (size > room || groups.length === 0) {
      groups.push([]);
      room = PIECE;
    }
    groups.at(-1)?.push(item);
    room -= size;
  });
  return groups;
}
