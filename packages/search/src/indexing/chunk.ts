import { measureCohesion } from "./cohesion.js";

/** What one speaker says before the next one speaks. */
export interface SpokenTurn {
  readonly speaker: string;
  readonly text: string;
}

/** Consecutive turns that search finds and shows as one result. */
export interface Chunk {
  /** One line per turn, `speaker: what was said`. */
  readonly text: string;
  /** What was said, without the speakers' names. */
  readonly spoken: string;
  /** The words of `spoken`, as its spaces part them. */
  readonly words: readonly string[];
  /** How many words each speaker has in it. */
  readonly wordsBySpeaker: ReadonlyMap<string, number>;
  /** Places of its first and last turn among the turns. A long turn can be in several chunks. */
  readonly firstTurn: number;
  readonly lastTurn: number;
}

/** Words of a chunk: about `aim`, rarely less than `least`, never more than `most`. */
const WORDS = { aim: 200, least: 100, most: 300 };
/** A turn of more words may be cut, into parts of whole sentences of about `part` words. */
const LONG_TURN = { words: 200, part: 80 };
/** The cost of cutting where cohesion is one standard deviation above the mean; a length that misses the aim by all costs 1. */
const COHESION = 0.15;
const TOO_SHORT = 1;

/**
 * Cuts a transcript into chunks of about 200 words: whole turns, a long turn at the ends of its sentences, and a
 * sentence without an end between words. Of the cuts that give about that length it takes those where the talk
 * changes its words, so that a chunk keeps to one matter. Every word is in exactly one chunk.
 */
export function chunkTranscript(turns: readonly SpokenTurn[]): Chunk[] {
  const pieces = turns.flatMap(({ speaker, text }, turn) =>
    // Field by field: a spread takes several times as long.
    splitTurn(text).map((part) => ({
      text: part.text,
      words: part.words,
      length: part.length,
      speaker,
      turn,
    })),
  );
  return findCuts(pieces).map(([from, to]) => toChunk(pieces.slice(from, to)));
}

/** A short turn, or a few sentences of a long one, which is never cut. One blank is between its words. */
interface Part {
  readonly text: string;
  readonly words: readonly string[];
  /** How many words it has. A word of more than 100 characters counts as several. */
  readonly length: number;
}

interface Piece extends Part {
  readonly speaker: string;
  readonly turn: number;
}

/** Characters of a word. The engine refuses to index a word of a megabyte. */
const WORD_MAX = 100;

/** Splits a text into words of at most 100 characters. */
export const splitWords = (text: string): string[] => text.match(/\S{1,100}/gu) ?? [];

/** What text has whose words are not parted by single blanks. */
const UNEVEN_SPACES = /[^\S ]| {2}|^ | $/;

function splitTurn(turn: string): Part[] {
  const text = UNEVEN_SPACES.test(turn) ? turn.trim().replace(/\s+/g, " ") : turn;
  if (text === "") return [];
  const words = text.split(" ");
  const length = words.some((word) => word.length > WORD_MAX) ? splitWords(text).length : words.length;
  return length <= LONG_TURN.words ? [{ text, words, length }] : splitLongTurn(turn);
}

/** Splits a turn at the ends of its sentences. */
function splitLongTurn(text: string): Part[] {
  const result: Part[] = [];
  let part: string[] = [];
  const close = () => {
    if (part.length > 0) result.push({ text: part.join(" "), words: part, length: part.length });
    part = [];
  };
  for (const sentence of text.split(/(?<=[.!?])\s+/)) {
    const words = splitWords(sentence);
    for (let at = 0; at < words.length; at += WORDS.aim) {
      const group = words.slice(at, at + WORDS.aim);
      if (part.length + group.length > LONG_TURN.part) close();
      part.push(...group);
    }
  }
  close();
  return result;
}

/** Finds the cheapest cuts by a shortest path over all boundaries. @returns ranges of pieces */
function findCuts(pieces: readonly Piece[]): [from: number, to: number][] {
  const cohesion = measureCohesion(pieces.map(({ words }) => words));
  const cost = new Float64Array(pieces.length + 1).fill(Number.POSITIVE_INFINITY);
  const previous = new Int32Array(pieces.length + 1);
  cost[0] = 0;
  for (let to = 1; to <= pieces.length; to++) {
    let length = 0;
    for (let from = to - 1; from >= 0; from--) {
      length += pieces[from]?.length ?? 0;
      if (length > WORDS.most && from < to - 1) break;
      const inside = from > 0 && to < pieces.length;
      const total =
        (cost[from] ?? 0) +
        (length / WORDS.aim - 1) ** 2 +
        (inside && length < WORDS.least ? TOO_SHORT : 0) +
        (to < pieces.length ? COHESION * (cohesion[to] ?? 0) : 0);
      if (total < (cost[to] ?? 0)) {
        cost[to] = total;
        previous[to] = from;
      }
    }
  }
  const ranges: [number, number][] = [];
  for (let to = pieces.length; to > 0; to = previous[to] ?? 0) ranges.push([previous[to] ?? 0, to]);
  return ranges.reverse();
}

function toChunk(pieces: readonly Piece[]): Chunk {
  let text = "";
  let spoken = "";
  const words: string[] = [];
  const wordsBySpeaker = new Map<string, number>();
  let turn = -1;
  for (const piece of pieces) {
    if (piece.turn === turn) text += ` ${piece.text}`;
    else text += `${text && "\n"}${piece.speaker}: ${piece.text}`;
    spoken += `${spoken && "\n"}${piece.text}`;
    for (const word of piece.words) words.push(word);
    turn = piece.turn;
    wordsBySpeaker.set(piece.speaker, (wordsBySpeaker.get(piece.speaker) ?? 0) + piece.length);
  }
  return { text, spoken, words, wordsBySpeaker, firstTurn: pieces[0]?.turn ?? 0, lastTurn: turn };
}
