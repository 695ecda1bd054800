/** A fault to plant in a source file. */
export interface Mutation {
  readonly domain: string;
  /** What is wrong with it. */
  readonly fault: string;
  readonly file: string;
  /** A text that the file has exactly once. */
  readonly find: string;
  readonly replace: string;
  /** Folders or files whose tests run first. */
  readonly tests: readonly string[];
}

type Fault = readonly [fault: string, file: string, find: string, replace: string, tests?: readonly string[]];

const faults = (domain: string, tests: readonly string[], list: readonly Fault[]): Mutation[] =>
  list.map(([fault, file, find, replace, own = tests]) => ({
    ...{ domain, fault, find, replace, tests: own },
    file: file.startsWith("apps/") ? file : `packages/core/src/${file}`,
  }));

const core = (...names: readonly string[]) => names.map((name) => `packages/core/src/${name}`);
const server = (...names: readonly string[]) => names.map((name) => `apps/server/src/${name}`);

/** Four faults per domain, each of a kind that a hurried change makes. */
export const MUTATIONS: readonly Mutation[] = [
  ...faults("access", core("access", "meetings/get", "meetings/list"), [
    [
      "a shared meeting is visible to everyone",
      "access/scopes.ts",
      "where: sql`l.user_id = ${user}`,",
      "where: sql`true`,",
    ],
    [
      "a shared tag is shared with everyone",
      "access/scopes.ts",
      "from ${tagShares} s where s.user_id = ${user}`);",
      "from ${tagShares} s`);",
    ],
    [
      "an e-mail address reads a member's meetings from another workspace",
      "access/scopes.ts",
      "return source.owner ? sql`${held} and ${row}.user_id = ${source.owner}` : held;",
      "return source.owner ? sql`(${caller}::text is not null and ${row}.user_id = ${source.owner})` : held;",
      core("access", "meetings/tasks", "meetings/list"),
    ],
    [
      "only shared ones also shows own ones",
      "access/scopes.ts",
      'return whose === "mine" ? ownedBy(caller) : sharedWithCaller(caller);',
      'return whose === "mine" ? ownedBy(caller) : visibleTo(caller);',
      core("access", "meetings"),
    ],
  ]),
  ...faults("api", core("api"), [
    [
      "a read-only key writes",
      "api/handler.ts",
      'if (type === "mutation") requireWriteAccess(admission);',
      'if (type === "subscription") requireWriteAccess(admission);',
      [...core("keys"), ...server("tests/authorization")],
    ],
    [
      "a body without a length is unlimited",
      "api/request.ts",
      "if (size > limit) reject(createTooLargeError());",
      "if (size > Number.MAX_SAFE_INTEGER) reject(createTooLargeError());",
    ],
    ["503 doesn't say when to try again", "api/handler.ts", "status === 503 ? {", "status === 500 ? {"],
    [
      "an idempotency key answers for another body",
      "api/idempotency.ts",
      "if (row && !row.isSame) throw",
      "if (!row) throw",
      core("api/idempotency", "api"),
    ],
  ]),
  ...faults("keys", core("keys", "api/rate-limit"), [
    [
      "one call more than the quota",
      "api/rate-limit/quota.ts",
      "exceeded: row.used > limit,",
      "exceeded: row.used > limit + 1,",
    ],
    [
      "one key more than the limit",
      "keys/manage.ts",
      "if ((row?.valid ?? 0) >= max)",
      "if ((row?.valid ?? 0) > max)",
    ],
    [
      "a member changes another member's key",
      "keys/manage.ts",
      'else if (caller.kind === "user" && caller.userId !== key.userId)',
      "else if (keyId === null)",
      [...core("keys"), ...server("tests/authorization")],
    ],
    [
      "a changed key is not in the audit log",
      "keys/manage.ts",
      "await audit(tx, caller, `${family}.${action}`, keyId);",
      "",
      [...core("keys", "workspaces/audit-usage"), ...server("commands/audit", "tests/authorization")],
    ],
  ]),
  ...faults("sign-in", core("sign-in"), [
    [
      "an expired session still works",
      "sign-in/sessions/authenticate.ts",
      'where s.hash = ${sql.placeholder("hash")} and s.expires_at > statement_timestamp()',
      'where s.hash = ${sql.placeholder("hash")}',
      [...core("sign-in"), ...server("tests/authorization")],
    ],
    [
      "one failed sign-in more before the wait",
      "sign-in/attempts.ts",
      "const ONE_SOURCE: Allowance = { free: 5,",
      "const ONE_SOURCE: Allowance = { free: 6,",
      core("sign-in/password", "sign-in/sign-in-log"),
    ],
    [
      "a sign-in link works twice",
      "sign-in/links.ts",
      ".delete(oneTimeLinks)\n        .where(whereSignsIn(token))\n        .returning({ userId: oneTimeLinks.userId, purpose: oneTimeLinks.purpose })",
      ".select({ userId: oneTimeLinks.userId, purpose: oneTimeLinks.purpose })\n        .from(oneTimeLinks)\n        .where(whereSignsIn(token))",
      core("sign-in/links", "sign-in/mailed-links"),
    ],
    [
      "an invited account counts as confirmed",
      "sign-in/invitations.ts",
      "if (!mailed) await tx.update(users).set({ emailConfirmed: false })",
      "if (mailed) await tx.update(users).set({ emailConfirmed: false })",
      core("sign-in/confirm-address", "sign-in/invitations"),
    ],
  ]),
  ...faults("workspaces", core("workspaces", "members"), [
    [
      "the last admin leaves another member",
      "workspaces/membership.ts",
      "if (others.length > 0 && !others",
      "if (others.length > 1 && !others",
    ],
    [
      "a shared tag outlives the membership",
      "workspaces/membership.ts",
      "await tx.delete(tagShares).where(or(eq(tagShares.ownerId, userId), eq(tagShares.userId, userId)));",
      "",
      core("workspaces", "access", "meetings/sharing"),
    ],
    [
      "a removed member stays signed in",
      "workspaces/membership.ts",
      "await tx.delete(sessions).where(eq(sessions.userId, userId));",
      "",
      core("sign-in/account", "members", "workspaces"),
    ],
    [
      "a role change is not in the audit log",
      "workspaces/membership.ts",
      "await changeRole(tx, caller, member, role);\n    await audit(tx, caller, `member.${role}`, userId, member.workspaceId);",
      "await changeRole(tx, caller, member, role);",
      [...core("members", "workspaces/audit-usage"), ...server("commands/audit", "tests/authorization")],
    ],
  ]),
  ...faults("meetings/sharing", core("meetings/sharing", "meetings/tags"), [
    [
      "a meeting is shared with another workspace",
      "meetings/sharing/share.ts",
      "if (first.workspaceId !== second.workspaceId) throw",
      'if (first.workspaceId === "") throw',
      core("access/access", "meetings/sharing"),
    ],
    [
      "sharing a meeting sends no event",
      "meetings/sharing/share.ts",
      "if (shared.length > 0) await recordShareEvents(tx, meetingId, [withUserId]);",
      "",
      core("webhooks/delivery/events"),
    ],
    [
      "renaming a tag sends no event",
      "meetings/tags/manage.ts",
      'tagged.map(({ id }) => id),\n    );\n    await audit(tx, caller, "tag.rename", tagId);',
      '[],\n    );\n    await audit(tx, caller, "tag.rename", tagId);',
      core("webhooks/delivery/events"),
    ],
    [
      "removing a tag is not in the audit log",
      "meetings/tags/manage.ts",
      'await audit(tx, caller, "meeting.untag", meetingId);',
      "",
      [
        ...core("workspaces/audit-usage", "meetings/sharing"),
        ...server("commands/audit", "commands/nouns", "tests/authorization"),
      ],
    ],
  ]),
  ...faults("meetings", core("meetings"), [
    [
      "403 becomes an empty meeting",
      "meetings/get.ts",
      'if (!row.allowed) throw new ApiError("FORBIDDEN", MESSAGES.noMeetingAccess);',
      "",
      core("meetings/get", "access"),
    ],
    [
      "a last page that is full has a cursor",
      "meetings/list.ts",
      "rows.length > input.limit ? page.at(-1)",
      "rows.length >= input.limit ? page.at(-1)",
      core("meetings/list", "meetings/paging"),
    ],
    [
      "a deletion is not in the audit log",
      "meetings/delete.ts",
      "id, workspace_id from gone\n  )`;",
      "id, workspace_id from gone where false\n  )`;",
      [...core("meetings/delete", "workspaces/audit-usage"), ...server("commands/audit")],
    ],
    [
      "search ignores dates for shared meetings",
      "meetings/search.ts",
      "sql`select l.meeting_id from ${buildLinksFromWhere(source)} and ${inRange(sql`l.start_time`)}`",
      "sql`select l.meeting_id from ${buildLinksFromWhere(source)} and (${inRange(sql`l.start_time`)} or true)`",
      core("meetings/search", "meetings/search-shares"),
    ],
  ]),
  ...faults("meetings/tasks", core("meetings/tasks"), [
    [
      "endDate excludes its own moment",
      "meetings/tasks/list.ts",
      'and k.created_at <= ${sql.placeholder("endDate")}',
      'and k.created_at < ${sql.placeholder("endDate")}',
    ],
    [
      "a page repeats the task before it",
      "meetings/tasks/list.ts",
      "(k.created_at, k.id) < (",
      "(k.created_at, k.id) <= (",
    ],
    [
      "open tasks include completed ones",
      "meetings/tasks/list.ts",
      ": sql`and not k.completed`}",
      ": sql``}",
    ],
    [
      "any task is read by its ID",
      "meetings/tasks/list.ts",
      "and ${buildScopeCondition(scope)}`;",
      "and (true or ${buildScopeCondition(scope)})`;",
      [...core("meetings/tasks", "api/rest"), ...server("tests/authorization")],
    ],
  ]),
  ...faults("editing", core("editing", "versions"), [
    [
      "an edit overwrites a later one",
      "versions/with-version.ts",
      "if (base === null || base === version) return version;",
      "if (base === null || base <= version) return version;",
    ],
    [
      "an edit sends no event",
      "versions/change-meeting.ts",
      'if (announce === "update") await recordUpdateEvents(tx, meetingIds);',
      "",
      core("webhooks/delivery/events", "editing"),
    ],
    [
      "a locked summary is edited",
      "editing/edit-meeting.ts",
      'if (stored?.locked) throw new ApiError("CONFLICT", MESSAGES.summaryLocked);',
      "",
    ],
    [
      "old versions are purged with their numbers",
      "versions/purge.ts",
      "where ${isOld} and not ${isNewest} limit",
      "where ${isOld} limit",
    ],
  ]),
  ...faults("people", core("people/directory", "people", "editing/speakers"), [
    [
      "an assigned speaker's tasks keep the former name",
      "editing/speakers/edit-speakers.ts",
      "await assignTasks(tx, meetingId, speakerLabel, known);",
      "",
    ],
    [
      "versions keep an erased person",
      "erasure/erase.ts",
      "await eraseVersions(tx, [meetingId]);",
      "",
      [...server("commands/erase-person"), ...core("editing", "people")],
    ],
    [
      "webhooks send an erased person",
      "erasure/erase.ts",
      "await rewritePayloads(tx, meetingId);",
      "",
      server("commands/erase-person"),
    ],
    [
      "separating a person who is not merged succeeds",
      "people/directory/merge.ts",
      'if (separated.length === 0) throw new ApiError("CONFLICT", MESSAGES.personNotMerged);',
      "",
      core("people/directory"),
    ],
  ]),
  ...faults("ingest", core("ingest"), [
    [
      "a recorder records for another workspace",
      "ingest/find-recording.ts",
      ".where(and(eq(users.email, email), eq(members.workspaceId, workspaceId)))",
      ".where(and(eq(users.email, email)))",
      core("ingest/start-recording", "ingest/import-meeting"),
    ],
    [
      "one credit more than the plan",
      "workspaces/plans/credits.ts",
      "creditsPerMonth === null || used < creditsPerMonth;",
      "creditsPerMonth === null || used <= creditsPerMonth;",
      core("ingest/credits"),
    ],
    [
      "a completed meeting sends no event",
      "ingest/complete-meeting.ts",
      "await enqueueDeliveries(tx, recordingId);",
      "",
      core("ingest/complete-meeting", "webhooks/delivery"),
    ],
    [
      "another meeting with the same external ID is accepted",
      "ingest/find-recording.ts",
      "if (!known || !isSameFingerprint(known, sent)) throw",
      "if (!known) throw",
      core("ingest/start-recording", "ingest/complete-meeting"),
    ],
  ]),
  ...faults("erasure/retention", core("erasure/retention"), [
    [
      "the shorter of two tags' rules applies",
      "erasure/retention/due.ts",
      "other.days > rule.days || (",
      "other.days < rule.days || (",
    ],
    [
      "a held meeting expires",
      "erasure/retention/due.ts",
      "where h.meeting_id = ${meetingId} offset 0)",
      "where h.meeting_id = '' offset 0)",
    ],
    [
      "a member releases an admin's hold",
      "erasure/retention/holds.ts",
      "rights.isAdmin || heldBy === undefined || heldBy === actorOf(caller);",
      'rights.isAdmin || heldBy !== "" || heldBy === actorOf(caller);',
    ],
    [
      "one rule less than the limit",
      "erasure/retention/rules.ts",
      "if ((rules?.number ?? 0) > LIMITS",
      "if ((rules?.number ?? 0) >= LIMITS",
    ],
  ]),
  ...faults("webhooks", core("webhooks"), [
    [
      "one attempt less",
      "webhooks/delivery/backoff.ts",
      "attempt > RETRIES ?",
      "attempt >= RETRIES ?",
      core("webhooks/delivery/retries"),
    ],
    [
      "a delivery isn't signed with the former secret",
      "webhooks/delivery/sign.ts",
      "const signatures = [secret, ...oldSecrets].map(",
      "const signatures = [secret, ...oldSecrets.slice(1)].map(",
    ],
    [
      "a webhook without a plan gets deliveries",
      "events/recipients.ts",
      " and p.plan in (${plans}) and",
      " and (true or p.plan in (${plans})) and",
    ],
    [
      "a pause is not in the audit log",
      "webhooks/delivery/pause.ts",
      'await audit(tx, SERVER, "webhook.pause", webhookId);',
      "",
      core("webhooks/delivery/outage"),
    ],
  ]),
  ...faults("sync", core("sync"), [
    [
      "a cursor of another caller is accepted",
      "sync/cursor.ts",
      ".update(`${getHolder(caller)}\\n${content}`)",
      ".update(`${content}`)",
    ],
    [
      "lost access is reported as a deletion",
      "sync/list.ts",
      'reason: entry.deleted ? "deleted" : "access"',
      'reason: entry.deleted || entry.kind ? "deleted" : "access"',
    ],
    [
      "a removed task stays in copies",
      "sync/expand.ts",
      "union all\n      ${selectRemovedTasks(sql`true`)}`,",
      "`,",
      core("ingest/replace"),
    ],
    [
      "a cursor with details continues without them",
      "sync/list.ts",
      "if (cursor && cursor.detail !== detail) throw",
      "if (cursor && cursor.detail === null) throw",
    ],
  ]),
  ...faults("export and ask", core("export", "ask"), [
    [
      "an export has a locked summary",
      "export/export.ts",
      ".where(and(eq(summaries.meetingId, meetingId), eq(summaries.locked, false)));",
      ".where(and(eq(summaries.meetingId, meetingId)));",
      core("export", "ingest/credits"),
    ],
    [
      "an export has no versions",
      "export/export.ts",
      "versions: await exportVersions(db, meetingId),",
      "versions: [],",
      core("editing/refused-edits"),
    ],
    [
      "a quote that nobody said is shown",
      "ask/verify.ts",
      "return source ? { text, quote, source } : null;",
      "return { text, quote, source: source ?? named ?? (sources[0] as Source) };",
      [...core("ask"), ...server("tests/answer", "mcp/answers")],
    ],
    [
      "one answer less a day",
      "api/rate-limit/daily.ts",
      "row !== undefined && row.used <= limit;",
      "row !== undefined && row.used < limit;",
      [...server("tests/answer", "commands/ask"), ...core("api/rate-limit")],
    ],
  ]),
  ...faults("operations", server("start", "http/drain", "operations"), [
    [
      "a stop doesn't wait for the balancer",
      "apps/server/src/start.ts",
      "await sleep(config.STOP_DELAY * 1_000);",
      "",
      server("http/drain"),
    ],
    [
      "clients are not told to reconnect",
      "apps/server/src/http/drain.ts",
      'if (closing) response.setHeader("Connection", "close");',
      "",
      server("http/drain"),
    ],
    [
      "a restore doesn't compare files",
      "apps/server/src/operations/backup/restore-backup.ts",
      "requireSameFiles(file, contents.files, files);",
      "",
      server("operations/backup/archive"),
    ],
    [
      "rows that differ from the checksum are restored",
      "apps/server/src/operations/archive/load.ts",
      'if (noted?.rows !== rows || noted.sha256 !== hash.digest("hex")) throw',
      "if (noted?.rows !== rows) throw",
      server("operations/backup/archive"),
    ],
  ]),
];
