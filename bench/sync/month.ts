import type { ChangePage } from "@minutes/contract";
import type { Database } from "@minutes/db";
import { startTestServer } from "@minutes/server/testing";
import { givenOn } from "@minutes/testing";
import { sql } from "drizzle-orm";

/**
 * Reads the changes since a cursor among many meetings, and everything without one. The time must depend only on the
 * number of changes.
 */
export async function measureMonth(db: Database, meetings: number, changes: number): Promise<void> {
  const given = givenOn(db);
  const company = await given.company();
  const anna = await given.member(company);
  const ben = await given.member(company);
  const tag = await given.tagged(await given.meeting(anna), "Shared");
  await given.tagShared(tag, ben);
  const server = await startTestServer({
    connection: { engine: "postgres", db, listen: async () => async () => {}, close: async () => {} },
  });
  for (const size of [meetings / 10, meetings]) {
    await fill(db, anna.userId, company.workspaceId, tag, size);
    for (const [name, key, side] of [
      ["workspace key", company.key, "workspace"],
      ["owner's key", anna.key, "me"],
      ["key of a reader through a shared tag", ben.key, "me"],
    ] as const) {
      const read = async (cursor?: string) => {
        const started = performance.now();
        let [pages, count] = [0, 0];
        let page: ChangePage;
        do {
          page = await server.data(key, `sync/${side}/changes.list`, {
            limit: 100,
            ...(cursor ? { cursor } : {}),
          });
          cursor = page.nextCursor;
          pages++;
          count += page.changes.length;
        } while (page.hasMore);
        return { cursor, pages, count, milliseconds: performance.now() - started };
      };
      const whole = await read();
      await db.execute(sql`update tasks set text = 'Changed' where id in (
        select id from tasks where user_id = ${anna.userId} order by md5(id) limit ${changes})`);
      const changed = await read(whole.cursor);
      const idle = await read(changed.cursor);
      console.log(
        `${size} meetings, ${name} · everything: ${whole.count} in ${(whole.milliseconds / 1000).toFixed(1)} s · ` +
          `${changed.count} changes: ${changed.pages} pages, ${changed.milliseconds.toFixed(0)} ms · ` +
          `none: ${idle.milliseconds.toFixed(1)} ms`,
      );
    }
  }
  await server.close();
}

/** Writes meetings with one task each up to a number, most of them tagged, as if imported on different days. */
async function fill(
  db: Database,
  userId: string,
  workspaceId: string,
  tag: string,
  size: number,
): Promise<void> {
  const [row] = await db
    .select({ count: sql<number>`count(*)::int` })
    .from(sql`meetings where user_id = ${userId}`);
  for (let at = row?.count ?? 0; at < size; at += 5_000) {
    const rows = sql`generate_series(${at}::int, ${Math.min(at + 5_000, size) - 1}::int) n`;
    await db.execute(sql`insert into recordings (id, workspace_id, state)
      select 'mtg_b' || n, ${workspaceId}, 'completed' from ${rows}`);
    await db.execute(sql`insert into meetings (id, user_id, workspace_id, title, start_time)
      select 'mtg_b' || n, ${userId}, ${workspaceId}, 'Meeting ' || n, now() - n * interval '1 minute' from ${rows}`);
    await db.execute(sql`insert into tasks (id, meeting_id, user_id, workspace_id, position, text, created_at)
      select 'tsk_b' || n, 'mtg_b' || n, ${userId}, ${workspaceId}, 0, 'Task', now() from ${rows}`);
    await db.execute(sql`insert into meeting_tags (tag_id, meeting_id, owner_id, start_time)
      select ${tag}, id, user_id, start_time from meetings m
      where user_id = ${userId} and not exists (select from meeting_tags b where b.meeting_id = m.id)`);
  }
  await db.execute(sql`analyze`);
}
