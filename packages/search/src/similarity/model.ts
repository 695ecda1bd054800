import { claimLeases, extendLeases, isClaimable, type LeaseColumns } from "@minutes/background";
import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import { isCurrentSpace, isOutside } from "./current-space.js";
import { readEmbeddedTexts } from "./embedded-texts.js";
import { type Embedder, type SimilarityScale, toUnitLength, toVectorText } from "./embedder.js";
import { measureScale } from "./measure-scale.js";
import { withoutQuestionWords } from "./query-text.js";
import { storeVectors } from "./store.js";
import { splitIntoWindows } from "./windows.js";

const { searchDocuments } = schema;

/** A model that embeds texts in order, with vectors of one length. */
export interface EmbeddingModel {
  /** Identifies the model, and so its vector space. */
  readonly name: string;
  /** Scale of its cosines, if known in advance. Otherwise it is measured when the model is first used. */
  readonly scale?: SimilarityScale;
  /** Embeds texts. @throws EmbeddingError if there is no usable answer */
  embed(texts: readonly string[], kind: "query" | "chunk", signal: AbortSignal): Promise<number[][]>;
}

/** The model is unavailable, refuses, or returns garbage. The message never contains a text, an address or a key. */
export class EmbeddingError extends Error {
  override name = "EmbeddingError";
}

/** Number of meetings leased per round, and the lease in seconds. */
const MEETINGS = 4;
const LEASE_SECONDS = 300;
const LEASES: LeaseColumns = {
  table: searchDocuments,
  key: searchDocuments.document,
  until: searchDocuments.leasedUntil,
};
/** Increment it when texts are split or vectors are stored differently. */
const LAYOUT = 3;

/** Returns what the names of a model's spaces begin with. The number of dimensions follows, known after the first vector. */
export const toSpacePrefix = (name: string): string => `model:${name}:${LAYOUT}:`;

/** The vectors of a model, all in one space. */
class SpaceOfModel {
  /** Known after the first answer. An index with other dimensions belongs to another space. */
  #space: string | null = null;
  constructor(readonly model: EmbeddingModel) {}

  /** @throws EmbeddingError also if the vectors have another length than before */
  async embed(texts: readonly string[], kind: "query" | "chunk", signal: AbortSignal) {
    const vectors = await this.model.embed(texts, kind, signal);
    const length = vectors[0]?.length ?? 0;
    if (vectors.length !== texts.length || length === 0)
      throw new EmbeddingError(`${vectors.length} vectors for ${texts.length} texts`);
    if (vectors.some((vector) => vector.length !== length || !vector.every(Number.isFinite)))
      throw new EmbeddingError("vectors of different lengths");
    const before = this.#space;
    const space = `${toSpacePrefix(this.model.name)}${length}`;
    this.#space = space;
    if (before !== null && before !== space)
      throw new EmbeddingError(`vectors of ${length} dimensions instead of ${before.split(":").at(-1)}`);
    return { vectors: vectors.map(toUnitLength), space };
  }

  async getName(signal: AbortSignal): Promise<string> {
    return this.#space ?? (await this.embed(["."], "chunk", signal)).space;
  }

  measureScale(signal: AbortSignal): Promise<SimilarityScale> {
    return measureScale(async (texts, kind) => (await this.embed(texts, kind, signal)).vectors);
  }

  /** Stores the vectors of a meeting. */
  async embedMeeting(db: Database, document: number, signal: AbortSignal): Promise<void> {
    const chunks = await readEmbeddedTexts(db, document);
    if (chunks.length === 0) return;
    const windows = chunks.flatMap(({ position, text }) =>
      splitIntoWindows(text).map((window) => ({ chunk: position, window })),
    );
    const texts = windows.map(({ window }) => window);
    const { vectors, space } = await this.embed(texts, "chunk", signal);
    const stored = windows.map(({ chunk }, at) => ({ chunk, vector: toVectorText(vectors[at] ?? []) }));
    await db.transaction((tx) => storeVectors(tx, document, stored, space));
  }
}

/** Creates an embedder that stores and compares vectors of a model. */
export function createEmbedder(model: EmbeddingModel): Embedder {
  const own = new SpaceOfModel(model);
  // The space with which this model has taken over from others.
  let begun: string | null = null;
  let scale = model.scale ?? null;
  // Meetings whose leases a fault of the database kept from being released.
  let held: readonly number[] = [];
  const release = async (db: Database): Promise<void> => {
    if (held.length > 0) await extendLeases(db, LEASES, toLeases(held), 0);
    held = [];
  };
  return {
    name: model.name,

    async embedQuery(text, signal) {
      const texts = [...new Set([text, withoutQuestionWords(text)])];
      const { vectors, space } = await own.embed(texts, "query", signal);
      const sum = (vectors[0] ?? []).map((_, at) => vectors.reduce((all, one) => all + (one[at] ?? 0), 0));
      scale ??= await own.measureScale(signal);
      return { space, vector: toUnitLength(sum), scale };
    },

    async embedMeetings(db, signal) {
      if (begun === null && !(await hasDocuments(db))) return 0;
      scale ??= await own.measureScale(signal);
      // The space must be known to find meetings outside of it.
      const known = await own.getName(signal);
      if (!(await isCurrentSpace(db, known, begun !== known))) return 0;
      begun = known;
      await release(db);
      const claimed = await claimDocuments(db, known);
      for (const [at, document] of claimed.entries()) {
        // Each can take minutes, and would use up the time of those that follow.
        if (at > 0) await extendLeases(db, LEASES, toLeases(claimed.slice(at)), LEASE_SECONDS);
        try {
          await own.embedMeeting(db, document, signal);
        } catch (error) {
          // A meeting that the model refuses keeps its lease until it expires, so that others are tried first.
          const isRefused = error instanceof EmbeddingError && !signal.aborted;
          held = claimed.slice(isRefused ? at + 1 : at);
          await release(db).catch(() => {});
          throw error;
        }
      }
      return claimed.length;
    },
  };
}

const toLeases = (documents: readonly number[]) => documents.map((key) => ({ key }));

/** Leases the newest meetings outside the space. */
async function claimDocuments(db: Database, space: string): Promise<number[]> {
  const rows = await claimLeases<{ document: number }>(db, LEASES, {
    where: sql`${isOutside(sql`${space}`)}
      and (leased_until is null or ${isClaimable(sql`leased_until`, LEASE_SECONDS)})`,
    orderBy: sql`document desc`,
    limit: MEETINGS,
    lease: LEASE_SECONDS,
    returning: { document: searchDocuments.document },
  });
  return rows.map((row) => row.document).sort((left, right) => right - left);
}

/** Returns false for an installation without meetings, which needs no model. */
async function hasDocuments(db: Database): Promise<boolean> {
  const rows = await db.select({ document: searchDocuments.document }).from(searchDocuments).limit(1);
  return rows.length > 0;
}
