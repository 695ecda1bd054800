/**
 * Completes meetings one after another until it is killed. At its start it says how the meetings and deliveries that
 * earlier processes left agree, as one line of JSON; `WEBHOOK` is the webhook that receives each meeting.
 */
import { connectEmbedded, connectPostgres } from "@minutes/db";
import { completeMeeting, type Person } from "@minutes/testing";
import { sql } from "drizzle-orm";

const { DATABASE_URL, DATA_DIR = "", OWNER = "{}", ONLY_LOOK } = process.env;
const connection = DATABASE_URL
  ? await connectPostgres({ url: DATABASE_URL, migrate: false, poolSize: 4 })
  : await connectEmbedded({ dataDir: DATA_DIR });
const { db } = connection;
const owner = JSON.parse(OWNER) as Person;

const [agreement] = await db
  .select({
    meetings: sql<number>`(select count(*)::int from meetings)`,
    deliveries: sql<number>`(select count(*)::int from deliveries)`,
    without: sql<number>`(select count(*)::int from meetings m where
      (select count(*) from deliveries d join webhook_events e on e.id = d.event_id where e.meeting_id = m.id and d.meeting_id = m.id) <> 1)`,
    stray: sql<number>`(select count(*)::int from deliveries d where not exists (select from meetings m where m.id = d.meeting_id))`,
  })
  .from(sql`(values (1)) one`);
console.log(JSON.stringify(agreement));
if (ONLY_LOOK) {
  await connection.close();
  process.exit();
}
const complete = async () => {
  for (;;) await completeMeeting(db, owner, { summary: { markdown: "# Done" }, tasks: [{ text: "Call" }] });
};
await Promise.all(Array.from({ length: DATABASE_URL ? 4 : 1 }, complete));
