import { claimLeases, extendLeases, type LeaseColumns } from "@minutes/background";
import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import { type Embedder, toUnitLength, toVectorText } from "./embedder.js";
import { withoutQuestionWords } from "./query-text.js";
import { storeVectors } from "./store.js";
import { splitIntoWindows } from "./windows.js";

const { searchChunks, searchDocuments } = schema;

/** A model that turns texts into vectors of one length, in the order of the texts. */
export interface EmbeddingModel {
  /** Names the model, and so the space of its vectors. */
  readonly name: string;
  /** True where the model sees a few sentences better than a whole chunk. */
  readonly windows?: boolean;
  /** Turns texts into vectors. @throws EmbeddingError when it has no answer, or one that can't be used. */
  embed(texts: readonly string[], kind: "query" | "chunk", signal: AbortSignal): Promise<number[][]>;
}

/** A model that is away, refuses, or answers nonsense. Its message never has a text, an address or a key. */
export class EmbeddingError extends Error {
  override name = "EmbeddingError";
}

/** Meetings that one round of work claims, and for how many seconds; another worker claims them after that. */
const MEETINGS = 4;
const LEASE_SECONDS = 300;
const LEASES: LeaseColumns = {
  table: searchDocuments,
  key: searchDocuments.document,
  until: searchDocuments.leasedUntil,
};
/** Raised when texts are cut or vectors are stored in another way. */
const LAYOUT = 2;

/** Makes and compares vectors by a model, which finds what is said in other words. */
export function createEmbedder(model: EmbeddingModel): Embedder {
  const toSpaceName = (vector: readonly number[]) => `model:${model.name}:${LAYOUT}:${vector.length}`;
  // Known after the first answer; an index made with other dimensions belongs to another space.
  let space: string | null = null;
  // The space in which every meeting is that had vectors at all: then only new ones are looked for, by an index.
  let complete: string | null = null;
  const embed = async (texts: readonly string[], kind: "query" | "chunk", signal: AbortSignal) => {
    const vectors = await model.embed(texts, kind, signal);
    const length = vectors[0]?.length ?? 0;
    if (vectors.length !== texts.length || length === 0)
      throw new EmbeddingError(`${vectors.length} vectors for ${texts.length} texts`);
    if (vectors.some((vector) => vector.length !== length || !vector.every(Number.isFinite)))
      throw new EmbeddingError("vectors of different lengths");
    const now = toSpaceName(vectors[0] ?? []);
    if (space !== null && space !== now) {
      const before = space;
      space = now;
      throw new EmbeddingError(`vectors of ${length} dimensions instead of ${before.split(":").at(-1)}`);
    }
    space = now;
    return { vectors: vectors.map(toUnitLength), space };
  };

  async function embedMeeting(db: Database, document: number, signal: AbortSignal): Promise<void> {
    const chunks = await selectChunkTexts(db, document);
    if (chunks.length === 0) return;
    const windows = chunks.flatMap((text, chunk) =>
      (model.windows ? splitIntoWindows(withoutSpeakers(text)) : [text]).map((window) => ({ chunk, window })),
    );
    const made = await embed(
      windows.map(({ window }) => window),
      "chunk",
      signal,
    );
    await db.transaction((tx) =>
      storeVectors(
        tx,
        document,
        windows.map(({ chunk }, at) => ({ chunk, vector: toVectorText(made.vectors[at] ?? []) })),
        made.space,
      ),
    );
  }

  return {
    name: model.name,

    async embedQuery(text, signal) {
      const texts = [...new Set([text, withoutQuestionWords(text)])];
      const { vectors, space } = await embed(texts, "query", signal);
      const sum = (vectors[0] ?? []).map((_, at) => vectors.reduce((all, one) => all + (one[at] ?? 0), 0));
      return { space, vector: toUnitLength(sum) };
    },

    async embedMeetings(db, signal) {
      if (complete === null && !(await hasDocuments(db))) return 0;
      // The space has to be known before it can be told which meetings are outside it.
      space ??= (await embed(["."], "chunk", signal)).space;
      const claimed = await claimDocuments(db, space, complete === space);
      if (claimed.length === 0 && complete !== space && (await isComplete(db, space))) complete = space;
      for (const [at, document] of claimed.entries()) {
        try {
          await embedMeeting(db, document, signal);
        } catch (error) {
          // The meeting that failed keeps its lease until that ends, so that the others come first.
          const rest = claimed.slice(signal.aborted ? at : at + 1);
          await extendLeases(
            db,
            LEASES,
            rest.map((key) => ({ key })),
            0,
          );
          throw error;
        }
      }
      return claimed.length;
    },
  };
}

/** Removes the speaker's name before each turn. */
const withoutSpeakers = (text: string): string => text.replace(/^.*?: /gm, "");

/** Leases the newest meetings outside the space that nobody is working on. */
async function claimDocuments(db: Database, space: string, complete: boolean): Promise<number[]> {
  const rows = await claimLeases<{ document: number }>(db, LEASES, {
    where: sql`${complete ? sql`space is null` : sql`space is distinct from ${space}`} and (leased_until is null or leased_until < now())`,
    orderBy: sql`document desc`,
    limit: MEETINGS,
    lease: LEASE_SECONDS,
    returning: { document: searchDocuments.document },
  });
  return rows.map((row) => row.document).sort((left, right) => right - left);
}

/** Returns false in an installation without meetings, which needs no model. */
async function hasDocuments(db: Database): Promise<boolean> {
  const rows = await db.select({ document: searchDocuments.document }).from(searchDocuments).limit(1);
  return rows.length > 0;
}

async function isComplete(db: Database, space: string): Promise<boolean> {
  const [row] = await db
    .select({ other: sql<boolean>`exists (select from ${searchDocuments} where space <> ${space})` })
    .from(sql`(values (1)) one`);
  return row?.other === false;
}

async function selectChunkTexts(db: Database, document: number): Promise<string[]> {
  const [found] = await db
    .select({ meetingId: searchDocuments.meetingId })
    .from(searchDocuments)
    .where(sql`${searchDocuments.document} = ${document}`);
  if (!found) return [];
  const rows = await db
    .select({ text: searchChunks.text })
    .from(searchChunks)
    .where(sql`${searchChunks.meetingId} = ${found.meetingId}`)
    .orderBy(searchChunks.position);
  return rows.map((row) => row.text);
}
