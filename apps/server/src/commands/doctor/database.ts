import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { MESSAGES } from "@minutes/contract";
import { type DatabaseLayout, describeWrongEncoding } from "@minutes/db";
import type { inferProcedureOutput } from "@trpc/server";
import { getAudioDirectory } from "../../config/audio-directory.js";
import type { Config } from "../../config/config.js";
import type { Connect } from "../cli/command.js";
import { toFailure } from "../cli/failure.js";
import { formatBytes } from "../cli/output.js";
import type { database } from "../procedures/inspect.js";
import { type Check, fail, ok, warn } from "./check.js";
import { checkKeptAudio } from "./kept-audio.js";

type Inspected = inferProcedureOutput<typeof database.inspect> & {
  /** How far the database's clock is ahead of this machine's, in ms. */
  readonly ahead: number;
};

/** Oldest supported PostgreSQL version, as `server_version_num`. */
const OLDEST_POSTGRES = 150_000;
/** Clock difference in ms that becomes noticeable in quotas and in the default search range. */
const CLOCK_WARN = 5_000;
const CLOCK_FAIL = 300_000;
/** Duration in seconds of a writing transaction after which copies are noticeably delayed. */
const FEED_DELAY_WARN = 60;
/** Time in seconds without a successful run of retention rules that are due. */
const RETENTION_WARN = 3 * 3_600;

/**
 * Connects to the database as a command does, without migrating it, and checks it.
 * @param serverIsRunning whether a Minutes server answers on PORT, which should use this database
 */
export async function checkDatabase(
  config: Config,
  connect: Connect<{ database: typeof database }>,
  serverIsRunning: boolean,
): Promise<Check[]> {
  const embedded = config.DATABASE_URL === undefined;
  if (embedded && !existsSync(resolve(config.DATA_DIR, "db"))) {
    const none = ok("Database", "none yet; the first start creates it.");
    return serverIsRunning ? [none, warnOfOtherData(config)] : [none];
  }
  const { operator, close } = connect(config, { migrate: false, poolSize: 1 });
  try {
    // The first call may have had to open the database; the second one is fast.
    const settings = { searchLanguage: config.SEARCH_LANGUAGE, audioDirectory: getAudioDirectory(config) };
    await operator.database.inspect.query(settings);
    const asked = Date.now();
    const inspected = await operator.database.inspect.query(settings);
    const ahead = inspected.now - (asked + Date.now()) / 2;
    const serves = embedded ? inspected.url !== null : inspected.connections > 0;
    return [
      ...checkInspected({ ...inspected, ahead }, embedded, config.SECRETS_KEY !== undefined),
      ...(serverIsRunning && !serves ? [warnOfOtherData(config)] : []),
    ];
  } catch (error) {
    return [fail("Database", toFailure(error).message)];
  } finally {
    await close().catch(() => {});
  }
}

/** Warns that the running server uses other data than these settings. */
const warnOfOtherData = ({ PORT, DATABASE_URL }: Config): Check => {
  const setting = DATABASE_URL === undefined ? "DATA_DIR" : "DATABASE_URL";
  return warn(
    "Server",
    `the Minutes server on port ${PORT} uses other data: set ${setting} to the value it has for that server.`,
  );
};

/** Evaluates the database's answers. */
export function checkInspected(
  {
    version,
    encoding,
    vector,
    moved,
    schema,
    ahead,
    feedDelay,
    retentionOverdue,
    unreadableSecrets,
    languageKnown,
    keptAudio,
    layout,
    search,
    withoutAdmin,
  }: Inspected,
  embedded: boolean,
  hasKey: boolean,
): Check[] {
  const server = `PostgreSQL ${Math.floor(version / 10_000)}.${version % 10_000}`;
  const seconds = (Math.abs(ahead) / 1000).toFixed(1);
  const clock = `the database's clock is ${seconds} s ${ahead < 0 ? "behind" : "ahead of"} this machine's`;
  return [
    ok("Database", embedded ? "embedded and answering." : "it answers."),
    version >= OLDEST_POSTGRES
      ? ok("Version", server)
      : fail("Version", `${server} is too old: upgrade it to 15 or newer.`),
    ...checkEncoding(encoding),
    // Nothing migrates a database that was moved.
    moved === null ? checkSchema(schema) : fail("Database", moved),
    vector
      ? ok("pgvector", vector)
      : warn(
          "pgvector",
          "missing: have a superuser run `create extension vector` in the database, then restart the servers. Until then, search goes by words only.",
        ),
    Math.abs(ahead) > CLOCK_FAIL
      ? fail("Clock", `${clock}: synchronize both with NTP.`)
      : Math.abs(ahead) > CLOCK_WARN
        ? warn("Clock", `${clock}: synchronize both with NTP.`)
        : ok("Clock", `${clock}.`),
    ...describeUnreadable(unreadableSecrets, embedded || hasKey),
    ...(languageKnown ? [] : [fail("Settings", MESSAGES.unknownSearchLanguage)]),
    ...(retentionOverdue > RETENTION_WARN ? [warnOfRetention(retentionOverdue)] : []),
    ...withoutAdmin.map((id) =>
      warn(
        "Admins",
        `workspace ${id} has no admin: minutes workspaces add-member ${id} <user> --role admin makes a member one.`,
      ),
    ),
    ...(keptAudio === null ? [] : checkKeptAudio(keptAudio)),
    ...(search === null ? [] : [checkSearch(search)]),
    // The embedded database runs one transaction at a time.
    ...(embedded ? [] : [checkFeedDelay(feedDelay)]),
    ...(layout === null ? [] : checkLayout(layout)),
  ];
}

const checkSchema = (schema: Inspected["schema"]): Check =>
  ({
    current: ok("Schema", "up to date."),
    behind: warn("Schema", "behind this version: run minutes migrate, or start the server."),
    newer: fail("Schema", "written by a newer version of Minutes: run that version, or a newer one."),
  })[schema];

/** Names what can't be decrypted. Replaced secrets are left out: they end by themselves. */
function describeUnreadable(unreadable: Inspected["unreadableSecrets"], hasKey: boolean): Check[] {
  const { webhooks = 0, calendars = 0, keptAudio = 0 } = unreadable ?? {};
  const found = [
    ...(webhooks > 0
      ? [`the ${webhooks === 1 ? "secret of 1 webhook" : `secrets of ${webhooks} webhooks`}`]
      : []),
    ...(calendars > 0
      ? [`the ${calendars === 1 ? "address of 1 calendar" : `addresses of ${calendars} calendars`}`]
      : []),
    ...(keptAudio > 0 ? [`the audio of ${keptAudio === 1 ? "1 meeting" : `${keptAudio} meetings`}`] : []),
  ];
  if (found.length === 0) return [];
  const secrets = found.join(", ");
  return [
    fail(
      "Secrets",
      hasKey
        ? `no key decrypts ${secrets}: add the one that encrypted it to SECRETS_KEY.`
        : `SECRETS_KEY is not set, and ${secrets} can't be decrypted without it: set it as for the servers.`,
    ),
  ];
}

function checkEncoding(encoding: string): Check[] {
  const fault = describeWrongEncoding(encoding);
  return fault === null ? [] : [fail("Encoding", fault)];
}

const warnOfRetention = (seconds: number): Check =>
  warn(
    "Retention",
    `no progress for ${Math.floor(seconds / 3_600)} hours. A running server (with roles, a worker) catches up within a minute, or its log says why not ("retention failed").`,
  );

function checkSearch(search: NonNullable<Inspected["search"]>): Check {
  if (search.mode === "words") return ok("Search", `by words: ${search.reason}.`);
  if (search.mode === "failing")
    return warn(
      "Search",
      `by words, because the model ${search.name} fails. The server retries it at least every minute; if this stays, its log ("the model fails") says why.`,
    );
  return ok(
    "Search",
    search.waiting === 0
      ? "by words and meaning."
      : `by words and meaning; still to be encoded, and until then found by words only: ${search.waiting === 1 ? "1 meeting" : `${search.waiting} meetings`}.`,
  );
}

/** Describes the placement of distributed tables. */
export function checkLayout({ shares, undistributed, idle, moves }: DatabaseLayout): Check[] {
  const nodes = [...new Set(shares.map(({ node }) => node))].map((node) => {
    const stored = shares.filter((share) => share.node === node);
    const largest = stored.map(({ table, bytes }) => `${table} ${formatBytes(bytes)}`).join(", ");
    return ok(
      "Worker",
      `${node} has ${formatBytes(stored.reduce((sum, { bytes }) => sum + bytes, 0))}: ${largest}.`,
    );
  });
  return [
    undistributed.length === 0
      ? ok("Layout", "transcripts and the search index are distributed over workers.")
      : warn("Layout", `${undistributed.join(", ")} is not distributed: run minutes distribute again.`),
    ...nodes,
    ...(idle === 0
      ? []
      : [
          warn(
            "Workers",
            `${idle} without data: run minutes distribute --shards ${nodes.length + idle}, or rebalance if there are more shards.`,
          ),
        ]),
    moves.shards === 0
      ? ok("Balance", "a rebalance would move nothing.")
      : warn(
          "Balance",
          `a rebalance would move ${moves.shards} shards of ${formatBytes(moves.bytes)}: see docs/scaling.md.`,
        ),
  ];
}

const checkFeedDelay = (seconds: number): Check =>
  seconds > FEED_DELAY_WARN
    ? warn(
        "Change feed",
        `held back by a transaction open for ${Math.round(seconds)} s: find and end it, see docs/repairing.md.`,
      )
    : ok("Change feed", "not held back by a long transaction.");
