import type { RetentionPreview, RetentionRule } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import type { TestServer } from "@minutes/server/testing";
import { type Company, createSettingsCalls, type Meeting, type Person } from "@minutes/testing";
import { inArray, sql } from "drizzle-orm";
import { expect } from "vitest";
import { runRetention } from "../run.js";

export const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
export const idsOf = (...meetings: Meeting[]) => meetings.map(({ meetingId }) => meetingId);

/**
 * Sets, previews and runs a workspace's retention rules.
 * @param open returns the server and the workspace, which may be created after this call
 */
export function createRetentionCalls(open: () => { readonly server: TestServer; readonly company: Company }) {
  const askSettings = createSettingsCalls(() => open().server);
  const ask = (who: Person, procedure: string, input?: object) =>
    askSettings(who, `retention.${procedure}`, input);
  return {
    ask,
    /** Inserts a meeting that ended this many days ago. */
    old: (owner: Person, days: number, ...tags: string[]) =>
      open().server.given.richMeeting(owner, {
        ...{ startTime: daysAgo(days), endTime: daysAgo(days - 0.01) },
        tags: tags.map((name) => ({ name })),
      }),
    set: async (days: number, tag?: string) => {
      const input = { days, ...(tag === undefined ? {} : { tag }) };
      const [status, rule] = await ask(open().company.admin, "set", input);
      expect(status).toBe(200);
      return rule as RetentionRule;
    },
    preview: async (input: object = {}) =>
      (await ask(open().company.admin, "preview", input))[1] as RetentionPreview,
    /** Runs retention as if this many hours had passed for its rules. */
    run: async (hours = 25, db: Database = open().server.db) => {
      await open()
        .server.db.update(schema.retentionRules)
        .set({ nextRunAt: sql`next_run_at - make_interval(hours => ${hours}::int)` });
      await runRetention(db, new AbortController().signal);
    },
    /** Returns the ids of those of the meetings that exist. */
    listKept: async (...meetings: Meeting[]) => {
      const ids = idsOf(...meetings);
      const rows = await open()
        .server.db.select({ id: schema.meetings.id })
        .from(schema.meetings)
        .where(inArray(schema.meetings.id, ids));
      return ids.filter((id) => rows.some((row) => row.id === id));
    },
  };
}
