import { type Database, ExplainedError, findMove, markMoved, unmarkMoved } from "@minutes/db";
import { describeAudioFiles } from "../../config/audio-directory.js";
import type { Config } from "../../config/config.js";
import { findSample } from "../../demo/keys-file.js";
import { readCatalog } from "../archive/catalog.js";
import { type ComparedTable, compareTable } from "../archive/compare.js";
import { dumpRows, type OnProgress, readSnapshot } from "../archive/dump.js";
import { createLoader } from "../archive/load.js";
import {
  createMismatchError,
  emptyDestination,
  markMoveFinished,
  markMoveUnfinished,
  planMove,
} from "./destination.js";
import { describePlace, type Place, toPlace, withDestination, withExisting, withSource } from "./endpoint.js";
import {
  countReadableSecrets,
  describeKeySetting,
  keepKey,
  loadSourceKeyring,
  type SecretsCheck,
} from "./secrets.js";

/** The result of a move. */
export interface MoveResult {
  /** True: both databases are identical. False: the destination stays unfinished, and no server starts on it. */
  readonly equal: boolean;
  readonly tables: readonly ComparedTable[];
  /** False: the destination can't store vectors; they are recreated once it can. */
  readonly vectors: boolean;
  /** The result with the destination's keys. */
  readonly secrets: SecretsCheck;
  /** The operator's next steps, one sentence each. */
  readonly next: readonly string[];
}

/** Settings that say where the installation is. */
type SourceSettings = Pick<Config, "DATABASE_URL" | "DATA_DIR"> &
  Partial<Pick<Config, "DATABASE_DIRECT_URL">>;

const toSource = ({ DATABASE_DIRECT_URL, DATABASE_URL, DATA_DIR }: SourceSettings): Place =>
  toPlace(DATABASE_DIRECT_URL ?? DATABASE_URL ?? DATA_DIR);

/** Requires two different engines: between equal ones, a dump or a copy of the directory is better. */
function requireOtherEngine(source: Place, destination: Place): void {
  if (source.url !== null && destination.url !== null)
    throw new ExplainedError("Source and destination are both PostgreSQL. Use pg_dump and pg_restore.");
  if (source.dataDir !== null && destination.dataDir !== null)
    throw new ExplainedError(
      "Source and destination are both directories. Stop the server and copy the directory.",
    );
}

/**
 * Copies a complete installation to the other engine, and compares both. The source is read in one read-only
 * transaction. Once the copy is complete, a mark in the source keeps it from being used. A rerun starts over after an
 * interruption, also one after the mark.
 * @param options.warn receives a sentence before anything is written, if the sample is moved, too
 * @throws ExplainedError and errors of opening the databases; none of them loses data
 * @see docs/decisions/0258-backups.md
 */
export async function moveInstallation(
  config: SourceSettings & Pick<Config, "SECRETS_KEY">,
  to: string,
  onProgress: OnProgress,
  { force = false, warn = () => {} }: { force?: boolean; warn?: (sentence: string) => void } = {},
): Promise<MoveResult> {
  const from = toSource(config);
  const destinationPlace = toPlace(to);
  requireOtherEngine(from, destinationPlace);
  return withSource(from, destinationPlace, force, async (source) => {
    const keyring = await loadSourceKeyring(config, from, source, force);
    const sample = await findSample(source, from.dataDir);
    if (sample !== null)
      warn(
        `The sample workspace "${sample.workspace}" is moved, too, and its keys keep working. To leave it out, stop and run \`minutes demo remove\` first.`,
      );
    return withDestination(destinationPlace, emptyDestination, async (destination) => {
      const copied = await copyRows(source, destination, onProgress);
      const { dataDir } = destinationPlace;
      const kept = dataDir !== null && (await keepKey(config, dataDir, destination));
      const secrets = await countReadableSecrets(destination, keyring);
      // Last: a server that starts on the destination needs its key, and a source that nobody uses.
      const isMarked = copied.equal && (await tryToMark(source, destinationPlace));
      if (copied.equal) await markMoveFinished(destination);
      const next = copied.equal
        ? [
            ...describeNext(config, from, destinationPlace, kept, copied.tables),
            describeOld(isMarked),
            ...describeSample(sample),
          ]
        : [UNEQUAL];
      return { ...copied, secrets, next };
    });
  });
}

/** Marks the source as moved. @returns false if it can't be written to, such as a standby */
const tryToMark = (source: Database, destination: Place): Promise<boolean> =>
  markMoved(source, describePlace(destination)).then(
    () => true,
    () => false,
  );

/** Removes the mark of a move, so that servers and commands use its source again. @throws ExplainedError if it has none */
export const reopenInstallation = (config: SourceSettings): Promise<void> =>
  withExisting(toSource(config), async (db) => {
    if ((await findMove(db)) === null) throw new ExplainedError("This installation is not marked as moved.");
    await unmarkMoved(db);
  });

/** Loads a dump of one database into the other and compares both. The destination is marked until they are equal. */
const copyRows = (source: Database, destination: Database, onProgress: OnProgress) =>
  readSnapshot(source, async (reading): Promise<Pick<MoveResult, "equal" | "tables" | "vectors">> => {
    const catalog = await readCatalog(reading);
    const plan = planMove(catalog, await readCatalog(destination));
    await markMoveUnfinished(destination, plan.tables);
    const loader = await createLoader(destination, plan.tables, createMismatchError);
    const contents = await dumpRows(reading, { ...catalog, ...plan }, loader.addBatch, onProgress);
    const rows = Object.values(contents.tables).reduce((sum, table) => sum + table.rows, 0);
    const tables = await readSnapshot(destination, async (loaded) => {
      const compared: ComparedTable[] = [];
      for (const table of plan.tables) {
        onProgress(rows, rows, `comparing ${table.name}`);
        compared.push(await compareTable(reading, loaded, table));
      }
      return compared;
    });
    const equal = tables.every((table) => table.equal);
    if (equal) await loader.complete(contents, "ended");
    return { equal, tables, vectors: plan.hasVectors };
  });

const describeSample = (sample: { readonly workspaceId: string } | null) =>
  sample === null
    ? []
    : [
        `To erase the moved sample with all members of its workspace, run \`minutes workspaces delete ${sample.workspaceId} --erase-members\`.`,
      ];

const UNEQUAL =
  "The destination differs from the source and stays unfinished. Choose an empty destination and move again.";

const describeNext = (
  config: Pick<Config, "SECRETS_KEY">,
  source: Place,
  destination: Place,
  kept: boolean,
  tables: readonly ComparedTable[],
) => [
  describeKeySetting(config, source, destination, kept),
  ...describeAudioFiles(tables.find(({ table }) => table === "kept_audio")?.destination.rows ?? 0),
  destination.dataDir === null
    ? "Set DATABASE_URL to the new URL and unset BACKUP_EVERY, which is only for the embedded database. Then start the servers there."
    : `Unset DATABASE_URL, set DATA_DIR to ${destination.dataDir} and start the server there.`,
];

const describeOld = (isMarked: boolean): string =>
  isMarked
    ? "The old installation is marked as moved: servers don't start on it, and commands only read it or back it up, until you run `minutes move --reopen` with its settings."
    : "Don't start the old installation again: both would deliver the same webhooks. It could not be marked as moved.";
