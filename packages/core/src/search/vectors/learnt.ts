import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import { PLACES_PER_CHUNK } from "../ranking.js";
import { type Embedder, vectorText } from "./embedder.js";
import { breather, type LearntFrom, learn } from "./learn.js";
import { storeVectors } from "./store.js";

const { meetings, members, searchChanges, searchDocuments, searchLearning, searchPostings, searchSettings } =
  schema;

/** Newest chunks of a workspace that are learnt from; older meetings are found by their words. */
const CHUNKS = 8_000;
/** How long a worker may take before another takes over, and how long after a change it waits for the next. */
const LEASE_SECONDS = 120;
/** Rows per statement that writes vectors. */
const BATCH = 200;
/** What of a chunk's words its neighbours hear. */
const NEIGHBOUR = 0.5;

/**
 * Similarity learnt from each workspace's own meetings, with no download. Nothing learnt crosses workspaces, and
 * what was learnt is learnt anew after every change, so that deleted words leave it too (docs/decisions/0052).
 */
export const learntEmbedder: Embedder = {
  name: "learnt from each workspace's own meetings",
  influence: { share: 0.1, finds: false },

  async query(db, caller, text) {
    const [row] = await db
      .select({
        space: sql<string>`${spaceOf(sql`w.workspace_id`, sql`w.generation`)}`,
        vector: sql<string | null>`(
          select sum(t.vector)::text from search_terms t where t.workspace_id = w.workspace_id and t.generation = w.generation
          and t.term in (select lexeme from ${searchSettings} s, unnest(to_tsvector(s.language::regconfig, ${text}))))`,
      })
      .from(
        sql`${members} m join ${searchLearning} w on w.workspace_id = m.workspace_id where m.user_id = ${caller}`,
      );
    return row?.vector ? { space: row.space, vector: JSON.parse(row.vector) } : null;
  },

  async work(db, signal) {
    const claimed = await claim(db);
    if (!claimed) return 0;
    const { documents, terms, chunks } = await read(db, claimed.workspaceId, signal);
    const learnt = await learn(terms, chunks, signal);
    await store(db, claimed, documents, learnt);
    // Also a workspace that has no meetings any more was work.
    return Math.max(1, documents.length);
  },
};

const spaceOf = (workspaceId: unknown, generation: unknown) =>
  sql`'learnt:' || ${workspaceId} || ':' || ${generation}`;

interface Claim {
  readonly workspaceId: string;
  readonly generation: number;
  /** Changes up to this one will be learnt. */
  readonly until: number;
}

/** A workspace with changes that nobody is learning from; null when there is none. */
async function claim(db: Database): Promise<Claim | null> {
  return db.transaction(async (tx) => {
    const [changed] = await tx
      .select({ workspaceId: searchChanges.workspaceId, until: sql<number>`max(${searchChanges.id})::int` })
      .from(searchChanges)
      .where(
        sql`not exists (select from ${searchLearning} l where l.workspace_id = ${searchChanges.workspaceId}
          and l.leased_until > now())`,
      )
      .groupBy(searchChanges.workspaceId)
      .orderBy(sql`min(${searchChanges.id})`)
      .limit(1);
    if (!changed) return null;
    const leasedUntil = sql`now() + ${LEASE_SECONDS} * interval '1 second'`;
    const [leased] = await tx
      .insert(searchLearning)
      .select(sql`select id, 0, ${leasedUntil} from workspaces where id = ${changed.workspaceId}`)
      .onConflictDoUpdate({
        target: searchLearning.workspaceId,
        set: { leasedUntil },
        setWhere: sql`${searchLearning.leasedUntil} is null or ${searchLearning.leasedUntil} < now()`,
      })
      .returning({ generation: searchLearning.generation });
    if (leased) return { ...changed, generation: leased.generation + 1 };
    // The workspace is gone, and what was learnt from it too.
    await tx.execute(sql`delete from ${searchChanges} where workspace_id = ${changed.workspaceId}
      and not exists (select from workspaces where id = ${changed.workspaceId})`);
    return null;
  });
}

interface LearntDocument {
  readonly document: number;
  readonly chunks: number;
  /** The number of its first chunk among all. */
  readonly offset: number;
}

/** In how many chunks a term is, and how often each chunk hears it, its neighbours' share included. */
interface Heard {
  within: number;
  readonly counts: Map<number, number>;
}

/** The workspace's newest meetings, and where each term is said in them. */
async function read(db: Database, workspaceId: string, signal: AbortSignal) {
  const newest = await db
    .select({ document: searchDocuments.document, chunks: searchDocuments.chunks })
    .from(searchDocuments)
    .innerJoin(meetings, sql`${meetings.id} = ${searchDocuments.meetingId}`)
    .where(sql`${meetings.workspaceId} = ${workspaceId}`)
    .orderBy(sql`${meetings.startTime} desc`)
    .limit(CHUNKS);
  const documents: LearntDocument[] = [];
  let chunks = 0;
  for (const { document, chunks: own } of newest) {
    if (chunks > 0 && chunks + own > CHUNKS) break;
    documents.push({ document, chunks: own, offset: chunks });
    chunks += own;
  }
  const heard = new Map<string, Heard>();
  const breathe = breather(signal);
  for (const { document, chunks: own, offset } of documents) {
    const postings = await db
      .select({ term: searchPostings.term, chunks: searchPostings.chunks, places: searchPostings.places })
      .from(searchPostings)
      .where(sql`${searchPostings.document} = ${document}`);
    for (const { term, chunks: within, places } of postings) {
      const known = heard.get(term) ?? { within: 0, counts: new Map() };
      heard.set(term, known);
      known.within += within;
      for (const place of places) {
        const chunk = Math.floor(place / PLACES_PER_CHUNK);
        for (const distance of [-1, 0, 1]) {
          const at = chunk + distance;
          if (at < 0 || at >= own) continue;
          const count = known.counts.get(offset + at) ?? 0;
          known.counts.set(offset + at, count + (distance === 0 ? 1 : NEIGHBOUR));
        }
      }
    }
    await breathe();
  }
  // A term of a single chunk says nothing about others.
  const terms: LearntFrom[] = [...heard]
    .filter(([, { within, counts }]) => within > 1 && counts.size > 0)
    .map(([term, { counts }]) => ({
      term,
      chunks: Int32Array.from(counts.keys()),
      counts: Float32Array.from(counts.values()),
    }));
  return { documents, terms, chunks };
}

/**
 * Puts what was learnt in the place of what was known. In small steps, since the embedded engine serves one
 * transaction at a time; until the last, queries are made of the former generation, and meetings that have left it
 * already are found by their words.
 */
async function store(
  db: Database,
  { workspaceId, generation, until }: Claim,
  documents: readonly LearntDocument[],
  learnt: Awaited<ReturnType<typeof learn>>,
): Promise<void> {
  // What an attempt that was cut short left behind.
  await db.execute(
    sql`delete from search_terms where workspace_id = ${workspaceId} and generation >= ${generation}`,
  );
  await inBatches([...learnt.terms], (rows) =>
    db.execute(sql`insert into search_terms (workspace_id, generation, term, vector)
      select ${workspaceId}, ${generation}, term, vector::vector
      from json_to_recordset(${JSON.stringify(
        rows.map(([term, vector]) => ({ term, vector: vectorText(vector) })),
      )}::json) t (term text, vector text) where exists (select from workspaces where id = ${workspaceId})`),
  );
  const space = spaceOf(sql`${workspaceId}::text`, sql`${generation}::int`);
  for (const { document, chunks, offset } of documents) {
    const vectors = Array.from({ length: chunks }, (_, at) => vectorText(learnt.chunks[offset + at] ?? []));
    await db.transaction((tx) =>
      storeVectors(
        tx,
        vectors,
        sql`update ${searchDocuments} d set space = ${space} from ${meetings} m
        where d.document = ${document} and m.id = d.meeting_id and m.workspace_id = ${workspaceId}`,
      ),
    );
  }
  await db.transaction(async (tx) => {
    await tx.execute(sql`update ${searchLearning} set generation = ${generation}, leased_until = null
      where workspace_id = ${workspaceId}`);
    await tx.execute(
      sql`delete from search_terms where workspace_id = ${workspaceId} and generation <> ${generation}`,
    );
    await tx.execute(
      sql`delete from ${searchChanges} where workspace_id = ${workspaceId} and id <= ${until}`,
    );
  });
}

async function inBatches<Row>(
  rows: readonly Row[],
  write: (batch: Row[]) => PromiseLike<unknown>,
): Promise<void> {
  for (let at = 0; at < rows.length; at += BATCH) await write(rows.slice(at, at + BATCH));
}
