import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import { type Embedder, vectorText } from "./embedder.js";
import { eventLoopYielder, learn } from "./learn.js";
import { claim, type Lease, LeaseLost, noteUnlearnt, PACING, stillLeased } from "./lease.js";
import { storeVectors } from "./store.js";
import { type LearntDocument, loadTrainingData } from "./training-data.js";

const { meetings, members, searchDocuments, searchLearning, searchSettings } = schema;

/** Rows per statement that writes vectors. */
const BATCH = 200;

/**
 * Similarity learnt from each workspace's own meetings, with no download. Nothing learnt crosses workspaces, and
 * what was learnt is learnt anew after a change, so that deleted words leave it too (docs/decisions/0052).
 */
export function learntEmbedder(pacing = PACING): Embedder {
  let begun = false;
  return {
    name: "learnt from each workspace's own meetings",
    influence: { share: 0.1, finds: false },

    async query(db, caller, text) {
      const [row] = await db
        .select({
          space: sql<string>`${spaceOf(sql`w.workspace_id`, sql`w.generation`)}`,
          vector: sql<string | null>`(
          select sum(t.vector order by t.term)::text from search_terms t
          where t.workspace_id = w.workspace_id and t.generation = w.generation
          and t.term in (select lexeme from ${searchSettings} s, unnest(to_tsvector(s.language::regconfig, ${text}))))`,
        })
        .from(
          sql`${members} m join ${searchLearning} w on w.workspace_id = m.workspace_id where m.user_id = ${caller}`,
        );
      return row?.vector ? { space: row.space, vector: JSON.parse(row.vector) } : null;
    },

    async work(db, signal) {
      if (!begun) await noteUnlearnt(db);
      begun = true;
      const lease = await claim(db, pacing);
      if (!lease) return 0;
      try {
        return await learnWorkspace(db, lease, signal);
      } catch (error) {
        if (error instanceof LeaseLost) return 0;
        await lease.release(signal.aborted);
        throw error;
      }
    },
  };
}

const spaceOf = (workspaceId: unknown, generation: unknown) =>
  sql`'learnt:' || ${workspaceId} || ':' || ${generation}`;

/** @returns the number of meetings; at least 1, since also a workspace that has none any more was work */
async function learnWorkspace(db: Database, lease: Lease, signal: AbortSignal): Promise<number> {
  const began = performance.now();
  const turn = eventLoopYielder(signal);
  const yieldToEventLoop = async () => {
    await turn();
    await lease.renew();
  };
  const { documents, terms, last } = await loadTrainingData(db, lease.workspaceId, yieldToEventLoop);
  const chunks = documents.reduce((sum, document) => sum + document.chunks, 0);
  const learnt = await learn(terms, chunks, yieldToEventLoop);
  await storeTerms(db, lease, [...learnt.terms], yieldToEventLoop);
  await storeChunks(db, lease, documents, learnt.chunks, yieldToEventLoop);
  await put(db, lease, last, Math.round(performance.now() - began));
  return Math.max(1, documents.length);
}

type YieldToEventLoop = () => Promise<void>;

// In small steps, since the embedded engine serves one transaction at a time. Until `put`, queries are made of the former
// generation, and meetings that have left it already are found by their words.

async function storeTerms(
  db: Database,
  { workspaceId, attempt }: Lease,
  terms: readonly (readonly [term: string, vector: Float32Array])[],
  yieldToEventLoop: YieldToEventLoop,
): Promise<void> {
  for (let at = 0; at < terms.length; at += BATCH) {
    const rows = terms.slice(at, at + BATCH).map(([term, vector]) => ({ term, vector: vectorText(vector) }));
    await db.execute(sql`insert into search_terms (workspace_id, generation, term, vector)
      select ${workspaceId}, ${attempt}, term, vector::vector
      from json_to_recordset(${JSON.stringify(rows)}::json) t (term text, vector text)
      where ${stillLeased({ workspaceId, attempt })}`);
    await yieldToEventLoop();
  }
}

async function storeChunks(
  db: Database,
  { workspaceId, attempt }: Lease,
  documents: readonly LearntDocument[],
  learnt: readonly Float32Array[],
  yieldToEventLoop: YieldToEventLoop,
): Promise<void> {
  const space = spaceOf(sql`${workspaceId}::text`, sql`${attempt}::int`);
  for (const { document, chunks, offset } of documents) {
    const vectors = Array.from({ length: chunks }, (_, at) => vectorText(learnt[offset + at] ?? []));
    await db.transaction((tx) =>
      storeVectors(
        tx,
        vectors,
        sql`update ${searchDocuments} d set space = ${space} from ${meetings} m
        where d.document = ${document} and m.id = d.meeting_id and m.workspace_id = ${workspaceId}
          and ${stillLeased({ workspaceId, attempt })}`,
      ),
    );
    await yieldToEventLoop();
  }
}

/** Puts what was learnt in the place of what was known, of which nothing is left. */
async function put(db: Database, { workspaceId, attempt }: Lease, last: number, cost: number): Promise<void> {
  await db.transaction(async (tx) => {
    const held = await tx
      .update(searchLearning)
      .set({ generation: attempt, leasedUntil: null, finishedAt: sql`now()`, cost })
      .where(sql`${searchLearning.workspaceId} = ${workspaceId} and ${searchLearning.attempt} = ${attempt}`)
      .returning({ attempt: searchLearning.attempt });
    if (held.length === 0) throw new LeaseLost();
    await tx.execute(
      sql`delete from search_terms where workspace_id = ${workspaceId} and generation <> ${attempt}`,
    );
    // Meetings too old to be learnt from; those of the moment that have no vectors yet are noted as changes.
    await tx.execute(sql`
      with old as (
        update ${searchDocuments} d set space = 'learnt:' from ${meetings} m
        where m.id = d.meeting_id and m.workspace_id = ${workspaceId} and d.document <= ${last}
          and coalesce(d.space, '') not in (${spaceOf(sql`${workspaceId}::text`, sql`${attempt}::int`)}, 'learnt:')
        returning d.document
      )
      delete from search_vectors where document in (select document from old)`);
  });
}
