import { sql } from "drizzle-orm";
import type { Env } from "../env.js";
import { countRows, readCatalog } from "./catalog.js";
import { type ComparedTable, compareTable } from "./compare.js";
import { copyTable, type OnBatch, readMarks } from "./copy.js";
import { completeDestination, prepareDestination } from "./destination.js";
import { openDestination, openSource, type Place, toPlace } from "./endpoint.js";
import { MoveError } from "./errors.js";
import { planMove } from "./plan.js";
import { readRow } from "./rows.js";
import {
  checkSecrets,
  describeKeySetting,
  keepKey,
  loadSourceKeyring,
  type SecretsCheck,
} from "./secrets.js";

/** What a move did. */
export interface MoveResult {
  /** True: an interrupted move was completed. */
  readonly resumed: boolean;
  /** True: both databases hold the same. False: the destination is left unfinished, and no server starts on it. */
  readonly equal: boolean;
  readonly tables: readonly ComparedTable[];
  /** False: the destination can't store vectors, which are made again once it can. */
  readonly vectors: boolean;
  /** As the destination's keys decrypt them. */
  readonly secrets: SecretsCheck;
  /** What the operator does next, one sentence each. */
  readonly next: readonly string[];
}

/** Is told how far a move is. */
export interface MoveObserver {
  /** Is called once, before the first batch. */
  onBegin(rows: number, done: number): void;
  readonly onBatch: OnBatch;
  onCompare(table: string): void | Promise<void>;
}

/** Requires two different engines: between equal ones, a dump or a copy of the directory does better. */
function requireOtherEngine(source: Place, destination: Place): void {
  if (source.url !== null && destination.url !== null)
    throw new MoveError("Source and destination are both PostgreSQL. Use pg_dump and pg_restore.");
  if (source.dataDir !== null && destination.dataDir !== null)
    throw new MoveError(
      "Source and destination are both directories. Stop the server and copy the directory.",
    );
}

/**
 * Copies an installation to the other engine, whole, and compares both. The source is read in one read-only transaction and
 * never changed. A repeat goes on where an interrupted one stopped.
 * @throws MoveError and what opening the databases throws; nothing is lost by any of them
 * @see docs/decisions/0195-moving-to-another-engine.md
 */
export async function moveInstallation(
  env: Pick<Env, "DATABASE_URL" | "DATA_DIR" | "SECRETS_KEY"> & Partial<Pick<Env, "DATABASE_DIRECT_URL">>,
  to: string,
  { onBegin, onBatch, onCompare }: MoveObserver,
  { force = false }: { force?: boolean } = {},
): Promise<MoveResult> {
  const [from, destinationPlace] = [
    toPlace(env.DATABASE_DIRECT_URL ?? env.DATABASE_URL ?? env.DATA_DIR),
    toPlace(to),
  ];
  requireOtherEngine(from, destinationPlace);
  const source = await openSource(from, force);
  try {
    const keyring = await loadSourceKeyring(env, from, source.db, force);
    const destination = await openDestination(destinationPlace);
    try {
      await destination.db.execute(sql`select set_config('extra_float_digits', '1', false)`);
      return await source.db.transaction(
        async (reading): Promise<MoveResult> => {
          await readRow(
            reading,
            sql`select set_config('extra_float_digits', '1', true) as digits,
            set_config('idle_in_transaction_session_timeout', '0', true) as timeout`,
          );
          const plan = planMove(await readCatalog(reading), await readCatalog(destination.db));
          const resumed = await prepareDestination(reading, destination.db, plan);
          const total = await countRows(reading, plan.tables);
          const done = resumed ? await countRows(destination.db, plan.tables) : 0;
          onBegin(total, done);
          const marks = await readMarks(destination.db);
          for (const table of plan.tables) {
            const mark = marks.get(table.name);
            if (!mark) throw new Error("A table has no mark.");
            await copyTable(reading, destination.db, table, mark, onBatch);
          }
          const tables: ComparedTable[] = [];
          for (const table of plan.tables) {
            await onCompare(table.name);
            tables.push(await compareTable(reading, destination.db, table));
          }
          const equal = tables.every((table) => table.equal);
          if (equal) await completeDestination(reading, destination.db, plan);
          const kept =
            destinationPlace.dataDir !== null &&
            (await keepKey(env, destinationPlace.dataDir, destination.db));
          const secrets = await checkSecrets(destination.db, keyring);
          const next = equal ? describeNext(env, from, destinationPlace, kept) : [UNEQUAL];
          return { resumed, equal, tables, vectors: plan.hasVectors, secrets, next };
        },
        { isolationLevel: "repeatable read", accessMode: "read only" },
      );
    } finally {
      await destination.close();
    }
  } finally {
    await source.close();
  }
}

const UNEQUAL =
  "The destination differs from the source and stays unfinished. Choose an empty destination and move again.";

const describeNext = (env: Pick<Env, "SECRETS_KEY">, source: Place, destination: Place, kept: boolean) => [
  describeKeySetting(env, source, destination, kept),
  destination.dataDir === null
    ? "Set DATABASE_URL to the new address and start the servers there."
    : `Unset DATABASE_URL, set DATA_DIR to ${destination.dataDir} and start the server there.`,
  "Don't start the old installation again: both would deliver the same webhooks.",
];
