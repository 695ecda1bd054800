/**
 * The yardstick: what one writes by hand on node:http and postgres.js for the same three answers, with one
 * prepared statement each and neither key, quota nor validation. The caller is taken from the path.
 */
import http from "node:http";
import postgres from "postgres";
import { serveMeasured } from "./measured.js";

const sql = postgres(process.env.DATABASE_URL ?? "", { max: Number(process.env.DATABASE_POOL) });

const columns = sql`m.id, m.title, m.generated_title as "generatedTitle", m.start_time as "startTime",
  m.end_time as "endTime", m.calendar_event_id as "calendarEventId", m.user_id as "userId"`;

const queries = {
  mine: (id: string) => sql`
    select ${columns} from (
      select * from (
        (select id, start_time from meetings where user_id = ${id} order by start_time desc, id desc limit 51)
        union
        (select meeting_id, start_time from meeting_shares where user_id = ${id} order by start_time desc, meeting_id desc limit 51)
        union
        (select l.meeting_id, l.start_time from tag_shares s cross join lateral (
          select meeting_id, start_time from meeting_tags where tag_id = s.tag_id order by start_time desc, meeting_id desc limit 51
        ) l where s.user_id = ${id})
      ) a order by start_time desc, id desc limit 51
    ) n join meetings m on m.id = n.id order by n.start_time desc, n.id desc`,
  meetings: (id: string) => sql`
    select ${columns} from meetings m where workspace_id = ${id} order by start_time desc, id desc limit 51`,
  tasks: (id: string) => sql`
    select k.id, k.text, k.completed, k.assignee_id, k.assignee_name, k.assignee_email, k.meeting_id as "meetingId",
      m.title as "meetingTitle", k.created_at as "createdAt", k.user_id as "userId"
    from tasks k join meetings m on m.id = k.meeting_id
    where k.workspace_id = ${id} order by k.created_at desc, k.id desc limit 51`,
};

const page = (name: keyof typeof queries, rows: postgres.RowList<postgres.Row[]>) => {
  const items = rows.slice(0, 50);
  const last = rows.length > 50 ? items.at(-1) : undefined;
  if (name !== "tasks") {
    return { meetings: items, nextCursor: last ? `${last.startTime.toISOString()}::${last.id}` : null };
  }
  return {
    tasks: items.map(({ assignee_id: id, assignee_name: assigneeName, assignee_email: email, ...task }) => ({
      ...task,
      assignee: assigneeName === null ? null : { id, name: assigneeName, email },
    })),
    nextCursor: last ? last.createdAt.toISOString() : null,
  };
};

serveMeasured(
  http.createServer(async (request, response) => {
    const [, name, id = ""] = (request.url ?? "").split("/");
    const query = name as keyof typeof queries;
    const body = JSON.stringify({ result: { data: { json: page(query, await queries[query](id)) } } });
    response.writeHead(200, {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(body),
    });
    response.end(body);
  }),
);
