import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { DatabaseLayout } from "@minutes/db";
import { toFailure } from "../cli/failure.js";
import type { Env } from "../env.js";
import { connectOperator } from "../operator/client.js";
import type { OperatorOutputs } from "../operator/router.js";
import { type Check, fail, ok, warn } from "./check.js";

type Inspected = OperatorOutputs["database"]["inspect"] & {
  /** Milliseconds by which the database's clock is ahead of this machine's. */
  readonly ahead: number;
};

/** Oldest PostgreSQL that the migrations are written for, as `server_version_num`. */
const OLDEST_POSTGRES = 150_000;
/** Milliseconds of clock difference that begin to show in quotas and in the default range of a search. */
const CLOCK_WARN = 5_000;
const CLOCK_FAIL = 300_000;
/** Seconds for which a transaction may write before copies are noticeably late. */
const FEED_DELAY_WARN = 60;

/**
 * Reaches the database as a command does, without changing its schema, and checks it.
 * @param serverIsRunning whether a Minutes server answers on PORT: it should be one that works on this database.
 */
export async function checkDatabase(env: Env, serverIsRunning: boolean): Promise<Check[]> {
  const embedded = env.DATABASE_URL === undefined;
  if (embedded && !existsSync(resolve(env.DATA_DIR, "db"))) {
    const none = ok("Database", "none yet; the first start creates it.");
    return serverIsRunning ? [none, warnOfOtherData(env)] : [none];
  }
  const { operator, close } = connectOperator(env, { migrate: false, poolSize: 1 });
  try {
    // The first answer may have had to open the database; the second takes no time.
    await operator.database.inspect.query();
    const asked = Date.now();
    const inspected = await operator.database.inspect.query();
    const ahead = inspected.now - (asked + Date.now()) / 2;
    const serves = embedded ? inspected.port === env.PORT : inspected.connections > 0;
    return [
      ...checkInspected({ ...inspected, ahead }, embedded),
      ...(serverIsRunning && !serves ? [warnOfOtherData(env)] : []),
    ];
  } catch (error) {
    return [fail("Database", toFailure(error).message)];
  } finally {
    await close().catch(() => {});
  }
}

/** Warns that the running server works on other data than these settings name. */
const warnOfOtherData = ({ PORT, DATABASE_URL }: Env): Check => {
  const setting = DATABASE_URL === undefined ? "DATA_DIR" : "DATABASE_URL";
  return warn(
    "Server",
    `the Minutes server on port ${PORT} works on other data: set ${setting} as it was set for that server.`,
  );
};

/** Judges what the database said. */
export function checkInspected(
  { version, vector, schema, ahead, feedDelay, unreadableSecrets, layout }: Inspected,
  embedded: boolean,
): Check[] {
  const server = `PostgreSQL ${Math.floor(version / 10_000)}.${version % 10_000}`;
  const seconds = (Math.abs(ahead) / 1000).toFixed(1);
  const clock = `the database's clock is ${seconds} s ${ahead < 0 ? "behind" : "ahead of"} this machine's`;
  return [
    ok("Database", embedded ? "embedded, and it answers." : "it answers."),
    version >= OLDEST_POSTGRES
      ? ok("Version", server)
      : fail("Version", `${server} is too old: upgrade it to 15 or newer.`),
    {
      current: ok("Schema", "up to date."),
      behind: warn("Schema", "behind this version: run minutes migrate, or start the server."),
      newer: fail("Schema", "written by a newer version of Minutes: run that one, or a newer one."),
    }[schema],
    vector
      ? ok("pgvector", vector)
      : warn("pgvector", "missing: install it in the database, or search finds by words alone."),
    Math.abs(ahead) > CLOCK_FAIL
      ? fail("Clock", `${clock}: set both by NTP.`)
      : Math.abs(ahead) > CLOCK_WARN
        ? warn("Clock", `${clock}: set both by NTP.`)
        : ok("Clock", `${clock}.`),
    ...(unreadableSecrets > 0
      ? [
          fail(
            "Secrets",
            `the secrets of ${unreadableSecrets} webhooks were encrypted with another key: add it to SECRETS_KEY.`,
          ),
        ]
      : []),
    // The embedded database runs one transaction at a time.
    ...(embedded ? [] : [checkFeedDelay(feedDelay)]),
    ...(layout === null ? [] : checkLayout(layout)),
  ];
}

const toMegabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

/** Describes where the tables are that are spread over workers. */
export function checkLayout({ spread, together, moves }: DatabaseLayout): Check[] {
  const nodes = [...new Set(spread.map(({ node }) => node))].map((node) => {
    const shares = spread.filter((share) => share.node === node);
    const largest = shares.map(({ table, bytes }) => `${table} ${toMegabytes(bytes)}`).join(", ");
    return ok(
      "Worker",
      `${node} has ${toMegabytes(shares.reduce((sum, { bytes }) => sum + bytes, 0))}: ${largest}.`,
    );
  });
  return [
    together.length === 0
      ? ok("Layout", "transcripts and the search index are spread over workers.")
      : warn("Layout", `${together.join(", ")} is not spread: run minutes distribute again.`),
    ...nodes,
    moves.shards === 0
      ? ok("Balance", "a rebalance would move nothing.")
      : warn(
          "Balance",
          `a rebalance would move ${moves.shards} shards of ${toMegabytes(moves.bytes)}: see docs/scaling.md.`,
        ),
  ];
}

const checkFeedDelay = (seconds: number): Check =>
  seconds > FEED_DELAY_WARN
    ? warn(
        "Change feed",
        `held back by a transaction that has been open for ${Math.round(seconds)} s: find and end it, as docs/repairing.md says.`,
      )
    : ok("Change feed", "no transaction holds it back for long.");
