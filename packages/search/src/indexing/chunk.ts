import type { Steps } from "@minutes/db";
import { measureCohesion } from "./cohesion.js";

/** An uninterrupted turn of one speaker. */
export interface SpokenTurn {
  /** Empty for text without a speaker. */
  readonly speaker: string;
  readonly text: string;
}

/** Consecutive turns that search returns as one result. */
export interface Chunk {
  /** One line per turn, `speaker: text`, or only the text if there is no speaker. */
  readonly text: string;
  /** The text without the speakers' names. */
  readonly spoken: string;
  /** The words of `spoken`, split at its spaces. */
  readonly words: readonly string[];
  /** Number of words of each speaker. */
  readonly wordsBySpeaker: ReadonlyMap<string, number>;
  /** Indexes of its first and last turn. A long turn can be in several chunks. */
  readonly firstTurn: number;
  readonly lastTurn: number;
}

/** Words per chunk: about `aim`, rarely below `least`, never above `most`. */
const WORDS = { aim: 200, least: 100, most: 300 };
/** Turns above `words` can be split, into whole sentences of about `part` words. */
const LONG_TURN = { words: 200, part: 80 };
/**
 * Cost of a cut where cohesion is one standard deviation above the mean, relative to the cost 1 of a chunk that misses
 * its target length completely.
 */
const COHESION = 0.15;
const TOO_SHORT = 1;

/** Number of turns or chunks per step. */
const STEP = 64;

/**
 * Splits a transcript into chunks of about 200 words: between turns, at sentence ends of long turns, and between words
 * of overlong sentences. Among cuts with similar lengths it prefers those where the vocabulary changes, so a chunk
 * stays on one topic. Every word is in exactly one chunk.
 */
export function* chunkTranscript(turns: readonly SpokenTurn[]): Steps<Chunk[]> {
  const pieces: Piece[] = [];
  for (const [turn, { speaker, text }] of turns.entries()) {
    // Assigned field by field: spreading takes several times as long.
    for (const { text: part, words, length } of splitTurn(text))
      pieces.push({ text: part, words, length, speaker, turn });
    if (turn % STEP === 0) yield;
  }
  const chunks: Chunk[] = [];
  for (const [from, to] of yield* findCuts(pieces)) {
    chunks.push(toChunk(pieces.slice(from, to)));
    if (chunks.length % STEP === 0) yield;
  }
  return chunks;
}

/** A short turn, or a few sentences of a long one. Never split. Its words are separated by single spaces. */
interface Part {
  readonly text: string;
  readonly words: readonly string[];
  /** Number of words. One of more than 100 characters counts as several. */
  readonly length: number;
}

interface Piece extends Part {
  readonly speaker: string;
  readonly turn: number;
}

/** Maximum characters per word. The engine refuses to index a word of a megabyte. */
const WORD_MAX = 100;

/** Splits a text into words of at most 100 characters. */
export const splitWords = (text: string): string[] => text.match(/\S{1,100}/gu) ?? [];

/** Matches text whose words are not separated by single spaces. */
const UNEVEN_SPACES = /[^\S ]| {2}|^ | $/;

function splitTurn(turn: string): Part[] {
  const text = UNEVEN_SPACES.test(turn) ? turn.trim().replace(/\s+/g, " ") : turn;
  if (text === "") return [];
  const words = text.split(" ");
  const length = words.some((word) => word.length > WORD_MAX) ? splitWords(text).length : words.length;
  return length <= LONG_TURN.words ? [{ text, words, length }] : splitLongTurn(turn);
}

/** Splits a turn at sentence ends. */
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

/** Finds the cheapest cuts as a shortest path over all boundaries. @returns ranges of pieces */
function* findCuts(pieces: readonly Piece[]): Steps<[from: number, to: number][]> {
  const cohesion = yield* measureCohesion(pieces.map(({ words }) => words));
  const cost = new Float64Array(pieces.length + 1).fill(Number.POSITIVE_INFINITY);
  const previous = new Int32Array(pieces.length + 1);
  cost[0] = 0;
  for (let to = 1; to <= pieces.length; to++) {
    if (to % STEP === 0) yield;
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
    else text += `${text && "\n"}${piece.speaker && `${piece.speaker}: `}${piece.text}`;
    spoken += `${spoken && "\n"}${piece.text}`;
    for (const word of piece.words) words.push(word);
    turn = piece.turn;
    wordsBySpeaker.set(piece.speaker, (wordsBySpeaker.get(piece.speaker) ?? 0) + piece.length);
  }
  return { text, spoken, words, wordsBySpeaker, firstTurn: pieces[0]?.turn ?? 0, lastTurn: turn };
}
