/**
 * A good implementation from stock parts: tRPC's Express adapter, superjson, zod in and out, Drizzle's query builder,
 * and the key and its quota in two statements before each procedure.
 */
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import {
  ListMyMeetings,
  ListWorkspaceMeetings,
  ListWorkspaceTasks,
  MeetingPage,
  TaskPage,
  UpdatedTask,
  UpdateTask,
} from "@minutes/contract";
import { schema } from "@minutes/db";
import { initTRPC, TRPCError } from "@trpc/server";
import { type CreateExpressContextOptions, createExpressMiddleware } from "@trpc/server/adapters/express";
import { and, desc, eq, isNull, sql } from "drizzle-orm";
import { union } from "drizzle-orm/pg-core";
import { drizzle } from "drizzle-orm/postgres-js";
import express from "express";
import postgres from "postgres";
import superjson from "superjson";
import { serveMeasured } from "./measured.js";

const { DATABASE_URL = "", DATABASE_POOL, RATE_LIMIT_PER_MINUTE } = process.env;
const db = drizzle(postgres(DATABASE_URL, { max: Number(DATABASE_POOL) }));
const { apiKeys, meetings, meetingShares, meetingTags, members, rateWindows, tagShares, tasks, workspaces } =
  schema;

/** Finds the caller of a request and counts it against their quota. */
async function createContext({ req }: CreateExpressContextOptions) {
  const hash = createHash("sha256").update(String(req.headers["x-api-key"])).digest();
  const [caller] = await db
    .select({ userId: apiKeys.userId, workspaceId: workspaces.id, plan: workspaces.plan })
    .from(apiKeys)
    .leftJoin(members, eq(members.userId, apiKeys.userId))
    .innerJoin(workspaces, eq(workspaces.id, sql`coalesce(${apiKeys.workspaceId}, ${members.workspaceId})`))
    .where(and(eq(apiKeys.hash, hash), isNull(apiKeys.disabledAt), isNull(apiKeys.revokedAt)));
  if (!caller) throw new TRPCError({ code: "UNAUTHORIZED", message: "Invalid API key" });
  const isOver = sql`${rateWindows.startedAt} <= now() - interval '60 seconds'`;
  const [quota] = await db
    .insert(rateWindows)
    .values({ scope: caller.userId ?? caller.workspaceId, startedAt: sql`now()`, count: 1 })
    .onConflictDoUpdate({
      target: rateWindows.scope,
      set: {
        startedAt: sql`case when ${isOver} then now() else ${rateWindows.startedAt} end`,
        count: sql`case when ${isOver} then 1 else ${rateWindows.count} + 1 end`,
      },
    })
    .returning({ used: rateWindows.count });
  if ((quota?.used ?? 0) > Number(RATE_LIMIT_PER_MINUTE)) throw new TRPCError({ code: "TOO_MANY_REQUESTS" });
  return { ...caller, userId: caller.userId ?? "" };
}

const t = initTRPC.context<typeof createContext>().create({ transformer: superjson });
const meeting = {
  id: meetings.id,
  title: meetings.title,
  generatedTitle: meetings.generatedTitle,
  startTime: meetings.startTime,
  endTime: meetings.endTime,
  calendarEventId: meetings.calendarEventId,
  userId: meetings.userId,
};

const toMeetingPage = (rows: MeetingPage["meetings"], limit: number): MeetingPage => {
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { meetings: page, nextCursor: last ? `${last.startTime}::${last.id}` : null };
};

const me = t.router({
  meetings: t.router({
    list: t.procedure
      .input(ListMyMeetings)
      .output(MeetingPage)
      .query(async ({ ctx: { userId }, input: { limit } }) => {
        const own = db
          .select({ id: meetings.id, startTime: meetings.startTime })
          .from(meetings)
          .where(eq(meetings.userId, userId))
          .orderBy(desc(meetings.startTime), desc(meetings.id))
          .limit(limit + 1);
        const shared = db
          .select({ id: meetingShares.meetingId, startTime: meetingShares.startTime })
          .from(meetingShares)
          .where(eq(meetingShares.userId, userId))
          .orderBy(desc(meetingShares.startTime), desc(meetingShares.meetingId))
          .limit(limit + 1);
        const tagged = db
          .select({ id: meetingTags.meetingId, startTime: meetingTags.startTime })
          .from(tagShares)
          .innerJoin(meetingTags, eq(meetingTags.tagId, tagShares.tagId))
          .where(eq(tagShares.userId, userId))
          .orderBy(desc(meetingTags.startTime), desc(meetingTags.meetingId))
          .limit(limit + 1);
        const visible = union(own, shared, tagged).as("visible");
        const rows = await db
          .select(meeting)
          .from(visible)
          .innerJoin(meetings, eq(meetings.id, visible.id))
          .orderBy(desc(meetings.startTime), desc(meetings.id))
          .limit(limit + 1);
        return toMeetingPage(rows, limit);
      }),
  }),
});

const workspace = t.router({
  meetings: t.router({
    list: t.procedure
      .input(ListWorkspaceMeetings)
      .output(MeetingPage)
      .query(async ({ ctx: { workspaceId }, input: { limit } }) => {
        const rows = await db
          .select(meeting)
          .from(meetings)
          .where(eq(meetings.workspaceId, workspaceId))
          .orderBy(desc(meetings.startTime), desc(meetings.id))
          .limit(limit + 1);
        return toMeetingPage(rows, limit);
      }),
  }),
  tasks: t.router({
    list: t.procedure
      .input(ListWorkspaceTasks)
      .output(TaskPage)
      .query(async ({ ctx: { workspaceId }, input: { limit } }) => {
        const rows = await db
          .select({ task: tasks, meetingTitle: meetings.title })
          .from(tasks)
          .innerJoin(meetings, eq(meetings.id, tasks.meetingId))
          .where(eq(tasks.workspaceId, workspaceId))
          .orderBy(desc(tasks.createdAt), desc(tasks.id))
          .limit(limit + 1);
        const page = rows.slice(0, limit).map(({ task, meetingTitle }) => ({
          id: task.id,
          text: task.text,
          completed: task.completed,
          assignee:
            task.assigneeName === null
              ? null
              : { id: task.assigneeId, name: task.assigneeName, email: task.assigneeEmail },
          meetingId: task.meetingId,
          meetingTitle,
          createdAt: task.createdAt,
          userId: task.userId,
        }));
        const [last, next] = [page.at(-1), rows[limit]?.task];
        const isTie = last?.createdAt === next?.createdAt;
        const nextCursor = last && next ? `${last.createdAt}${isTie ? `::${last.id}` : ""}` : null;
        return { tasks: page, nextCursor };
      }),
    update: t.procedure
      .input(UpdateTask)
      .output(UpdatedTask)
      .mutation(async ({ ctx: { workspaceId }, input: { taskId, ...changes } }) => {
        const [updated] = await db
          .update(tasks)
          .set({ ...changes, updatedAt: sql`now()` })
          .where(and(eq(tasks.id, taskId), eq(tasks.workspaceId, workspaceId)))
          .returning({ id: tasks.id });
        if (!updated) throw new TRPCError({ code: "NOT_FOUND", message: "Task not found or not writable" });
        return { taskId, ...changes };
      }),
  }),
});

const app = express().disable("x-powered-by");
app.use("/v1/me", createExpressMiddleware({ router: me, createContext }));
app.use("/v1/workspace", createExpressMiddleware({ router: workspace, createContext }));
serveMeasured(createServer(app));
