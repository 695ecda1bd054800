import { type Database, schema } from "@minutes/db";
import { inArray, sql } from "drizzle-orm";
import { type Embedder, vectorText } from "./embedder.js";
import { storeVectors } from "./store.js";

const { searchChunks, searchDocuments } = schema;

/** A model that turns texts into vectors of one length, in the order of the texts. */
export interface EmbeddingModel {
  /** Names the model, and so the space of its vectors. */
  readonly name: string;
  /** @throws EmbeddingError when it has no answer, or one that can't be used. */
  embed(texts: readonly string[], kind: "query" | "passage", signal: AbortSignal): Promise<number[][]>;
}

/** A model that is away, refuses, or answers nonsense. Its message never has a text, an address or a key. */
export class EmbeddingError extends Error {
  override name = "EmbeddingError";
}

/** Meetings that one round of work takes, and for how long; another worker takes them up after that. */
const MEETINGS = 4;
const LEASE_SECONDS = 300;

/** Search by a model: it also finds what is said in other words. */
export function modelEmbedder(model: EmbeddingModel): Embedder {
  const spaceOf = (vector: readonly number[]) => `model:${model.name}:${vector.length}`;
  // Known after the first answer; an index made with other dimensions belongs to another space.
  let space: string | null = null;
  // The space in which every meeting is that had vectors at all: then only new ones are looked for, by an index.
  let complete: string | null = null;
  const embed = async (texts: readonly string[], kind: "query" | "passage", signal: AbortSignal) => {
    const vectors = await model.embed(texts, kind, signal);
    const length = vectors[0]?.length ?? 0;
    if (vectors.length !== texts.length || length === 0)
      throw new EmbeddingError(`${vectors.length} vectors for ${texts.length} texts`);
    if (vectors.some((vector) => vector.length !== length || !vector.every(Number.isFinite)))
      throw new EmbeddingError("vectors of different lengths");
    const now = spaceOf(vectors[0] ?? []);
    if (space !== null && space !== now) {
      const before = space;
      space = now;
      throw new EmbeddingError(`vectors of ${length} dimensions instead of ${before.split(":").at(-1)}`);
    }
    space = now;
    return { vectors, space };
  };

  async function embedMeeting(db: Database, document: number, signal: AbortSignal): Promise<void> {
    const chunks = await textsOf(db, document);
    if (chunks.length === 0) return;
    const made = await embed(chunks, "passage", signal);
    await db.transaction((tx) =>
      storeVectors(
        tx,
        made.vectors.map(vectorText),
        sql`update ${searchDocuments} d set space = ${made.space}, leased_until = null where d.document = ${document}`,
      ),
    );
  }

  return {
    name: model.name,
    influence: { share: 0.5, finds: true },

    async query(_db, _caller, text, signal) {
      const { vectors, space } = await embed([text], "query", signal);
      return { space, vector: vectors[0] ?? [] };
    },

    async work(db, signal) {
      // The space has to be known before it can be told which meetings are outside it.
      space ??= (await embed(["."], "passage", signal)).space;
      const claimed = await claim(db, space, complete === space);
      if (claimed.length === 0 && complete !== space && (await isComplete(db, space))) complete = space;
      for (const [at, document] of claimed.entries()) {
        try {
          await embedMeeting(db, document, signal);
        } catch (error) {
          // The one that failed waits for its lease to end, so that it doesn't keep the others from their turn.
          await release(db, claimed.slice(signal.aborted ? at : at + 1));
          throw error;
        }
      }
      return claimed.length;
    },
  };
}

/** The newest meetings outside the space that nobody is working on, leased. */
async function claim(db: Database, space: string, complete: boolean): Promise<number[]> {
  const rows = await db
    .update(searchDocuments)
    .set({ leasedUntil: sql`now() + ${LEASE_SECONDS} * interval '1 second'` })
    .where(
      sql`${searchDocuments.document} in (
        select document from ${searchDocuments}
        where ${complete ? sql`space is null` : sql`space is distinct from ${space}`} and (leased_until is null or leased_until < now())
        order by document desc limit ${MEETINGS} for update skip locked)`,
    )
    .returning({ document: searchDocuments.document });
  return rows.map((row) => row.document).sort((left, right) => right - left);
}

async function release(db: Database, documents: readonly number[]): Promise<void> {
  if (documents.length === 0) return;
  await db
    .update(searchDocuments)
    .set({ leasedUntil: null })
    .where(inArray(searchDocuments.document, [...documents]));
}

async function isComplete(db: Database, space: string): Promise<boolean> {
  const [row] = await db
    .select({ other: sql<boolean>`exists (select from ${searchDocuments} where space <> ${space})` })
    .from(sql`(values (1)) one`);
  return row?.other === false;
}

async function textsOf(db: Database, document: number): Promise<string[]> {
  const rows = await db
    .select({ text: searchChunks.text })
    .from(searchChunks)
    .innerJoin(searchDocuments, sql`${searchDocuments.meetingId} = ${searchChunks.meetingId}`)
    .where(sql`${searchDocuments.document} = ${document}`)
    .orderBy(searchChunks.position);
  return rows.map((row) => row.text);
}
