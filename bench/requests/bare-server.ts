/**
 * The baseline: hand-written node:http and driver code for the same answers, with prepared statements, but without
 * quota and validation. The caller is part of the path; a key is looked up if one is sent.
 */
import { createHash } from "node:crypto";
import http from "node:http";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import postgres from "postgres";
import { serveMeasured } from "./measured.js";

const ask = await openEngine();

const columns = `m.id, m.title, m.generated_title as "generatedTitle", m.start_time as "startTime",
  m.end_time as "endTime", m.calendar_event_id as "calendarEventId", m.user_id as "userId"`;

type Row = Record<string, unknown>;
const toCursor = (time: unknown, id: string) => `${(time as Date).toISOString()}${id}`;

const toMeetingPage = (rows: Row[]) => {
  const meetings = rows.slice(0, 50);
  const last = rows.length > 50 ? meetings.at(-1) : undefined;
  return { meetings, nextCursor: last ? toCursor(last.startTime, `::${last.id}`) : null };
};

/** The handlers by first path segment. The second segment is an id. */
const HANDLERS: Record<string, (id: string, body: string) => Promise<unknown>> = {
  mine: async (id) =>
    toMeetingPage(
      await ask(
        `select ${columns} from (
          select * from (
            (select id, start_time from meetings where user_id = $1 order by start_time desc, id desc limit 51)
            union
            (select meeting_id, start_time from meeting_shares where user_id = $1 order by start_time desc, meeting_id desc limit 51)
            union
            (select l.meeting_id, l.start_time from tag_shares s cross join lateral (
              select meeting_id, start_time from meeting_tags where tag_id = s.tag_id order by start_time desc, meeting_id desc limit 51
            ) l where s.user_id = $1)
          ) a order by start_time desc, id desc limit 51
        ) n join meetings m on m.id = n.id order by n.start_time desc, n.id desc`,
        [id],
      ),
    ),
  meetings: async (id) =>
    toMeetingPage(
      await ask(
        `select ${columns} from meetings m where workspace_id = $1 order by start_time desc, id desc limit 51`,
        [id],
      ),
    ),
  tasks: async (id) => {
    const rows = await ask(
      `select k.id, k.text, k.completed, k.assignee_id, k.assignee_name, k.assignee_email, k.meeting_id as "meetingId",
        m.title as "meetingTitle", k.created_at as "createdAt", k.user_id as "userId"
      from tasks k join meetings m on m.id = k.meeting_id
      where k.workspace_id = $1 order by k.created_at desc, k.id desc limit 51`,
      [id],
    );
    const page = rows.slice(0, 50);
    const last = rows.length > 50 ? page.at(-1) : undefined;
    return {
      tasks: page.map(({ assignee_id: id, assignee_name: assigneeName, assignee_email: email, ...task }) => ({
        ...task,
        assignee: assigneeName === null ? null : { id, name: assigneeName, email },
      })),
      nextCursor: last ? toCursor(last.createdAt, "") : null,
    };
  },
  meeting: async (id) => {
    const [[meeting], turns, participants, tasks, tags] = await Promise.all([
      ask(
        `select m.id, m.title, m.generated_title as "generatedTitle", m.start_time as "startTime", m.end_time as "endTime",
          u.id as "userId", u.email, s.markdown, s.html, s.short
        from meetings m join users u on u.id = m.user_id left join summaries s on s.meeting_id = m.id where m.id = $1`,
        [id],
      ),
      ask(
        `select p.name, x.text from transcript_segments x
        join participants p on p.meeting_id = x.meeting_id and p.id = x.speaker_id
        where x.meeting_id = $1 order by x.position`,
        [id],
      ),
      ask(`select id, name, email from participants where meeting_id = $1 order by position`, [id]),
      ask(
        `select text as content, completed, assignee_name, assignee_email from tasks where meeting_id = $1 order by position`,
        [id],
      ),
      ask(
        `select g.name, g.color from meeting_tags b join tags g on g.id = b.tag_id where b.meeting_id = $1 order by g.name`,
        [id],
      ),
    ]);
    if (!meeting) return null;
    const { userId, email, markdown, html, short, ...facts } = meeting;
    return {
      ...facts,
      user: { id: userId, email },
      summary: { markdown, html, short },
      transcript: turns.map(({ name, text }) => `**${name}**: ${text}`).join("\n\n"),
      participants,
      tasks: tasks.map(({ assignee_name: name, assignee_email: email, ...task }) => ({
        ...task,
        assignee: name === null ? null : { name, email },
      })),
      tags,
    };
  },
  task: async (id, body) => {
    const { completed } = JSON.parse(body).json;
    await ask("update tasks set completed = $2, updated_at = now() where id = $1", [id, completed]);
    return { taskId: id, completed };
  },
};

const readBody = async (request: http.IncomingMessage) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  return body;
};

/** Looks up the holder of a request's key, its only check. */
const findKey = async (key: string) =>
  ask(
    "select id, user_id, workspace_id from api_keys where hash = $1 and disabled_at is null and revoked_at is null",
    [createHash("sha256").update(key).digest()],
  );

serveMeasured(
  http.createServer(async (request, response) => {
    const [, name = "", id = ""] = (request.url ?? "").split("/");
    const handle = HANDLERS[name];
    const key = request.headers["x-api-key"];
    if (typeof key === "string") await findKey(key);
    const result = await handle?.(id, request.method === "POST" ? await readBody(request) : "");
    const body = JSON.stringify(handle ? { result: { data: { json: result } } } : { error: "Not found" });
    response.writeHead(handle ? 200 : 404, {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(body),
    });
    response.end(body);
  }),
);

/** Runs a statement directly with its driver. */
type Ask = (text: string, values: readonly unknown[]) => Promise<Record<string, unknown>[]>;

/** Opens the configured database: PostgreSQL with DATABASE_URL, PGlite with DATA_DIR. */
async function openEngine(): Promise<Ask> {
  const { DATABASE_URL, DATABASE_POOL, DATA_DIR } = process.env;
  if (DATABASE_URL) {
    const client = postgres(DATABASE_URL, { max: Number(DATABASE_POOL) });
    return async (text, values) => client.unsafe(text, values as never[], { prepare: true });
  }
  const engine = await PGlite.create({ dataDir: join(DATA_DIR ?? "", "db"), extensions: { vector } });
  return async (text, values) => (await engine.query<Record<string, unknown>>(text, [...values])).rows;
}
