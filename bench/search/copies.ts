import { type Database, hasVectors } from "@minutes/db";
import { sql } from "drizzle-orm";

/**
 * Copies every meeting of one person's search index `times` times to another person. Rows are copied directly, so that
 * a million chunks take minutes instead of hours. Copies are not copied again.
 */
export async function copyMeetings(db: Database, from: string, to: string, times: number): Promise<void> {
  const mark = `${to}/`;
  await db.transaction(async (tx) => {
    await tx.execute(sql`create temporary table copied on commit drop as
      select m.id as old, ${mark}::text || n || '/' || m.id as new, m.title, m.start_time,
        t.user_id, t.workspace_id, n
      from users f join meetings m on m.user_id = f.id
        cross join generate_series(1, ${times}::int) n,
        users u join members t on t.user_id = u.id
      where f.email = ${from} and u.email = ${to} and m.id not like '%/%'`);
    await tx.execute(
      sql`insert into recordings (id, workspace_id, state) select new, workspace_id, 'completed' from copied`,
    );
    await tx.execute(sql`insert into meetings (id, user_id, workspace_id, title, start_time)
      select new, user_id, workspace_id, title, start_time from copied`);
    await tx.execute(sql`insert into search_documents (meeting_id, first_chunk, chunks, language, version, space)
      select c.new, d.first_chunk, d.chunks, d.language, d.version, d.space from copied c join search_documents d on d.meeting_id = c.old order by n, old`);
    await tx.execute(sql`create temporary table numbered on commit drop as
      select c.old, c.new, o.document as old_document, d.document, d.first_chunk from copied c
      join search_documents o on o.meeting_id = c.old
      join search_documents d on d.meeting_id = c.new and d.first_chunk = o.first_chunk`);
    await tx.execute(sql`insert into search_chunks (meeting_id, position, text)
      select n.new, c.position, c.text from copied n join search_chunks c on c.meeting_id = n.old`);
    await tx.execute(sql`insert into search_speakers (document, speaker, name, first, shares)
      select n.document, s.speaker, s.name, s.first, s.shares from numbered n join search_speakers s on s.document = n.old_document`);
    await tx.execute(sql`insert into search_postings (document, term, chunks, best, first, weights, places)
      select n.document, p.term, p.chunks, p.best, p.first, p.weights, p.places
      from numbered n join search_postings p on p.document = n.old_document order by n.document, p.term`);
    if (!(await hasVectors(tx))) return;
    await tx.execute(sql`insert into search_windows (document, position, chunk, vector)
      select n.document, w.position, w.chunk, w.vector
      from numbered n join search_windows w on w.document = n.old_document order by n.document, w.position`);
  });
}
