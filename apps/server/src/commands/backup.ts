import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { explainUnusable } from "@minutes/db/faults";
import type { Command } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { describeAudioFiles } from "../config/audio-directory.js";
import type { Config } from "../config/config.js";
import type { BackupSteps } from "../operations/backup/online-backup.js";
import type { Operator, OperatorCommand } from "./cli/command.js";
import { UsageError } from "./cli/exit.js";
import { formatBytes, note, print, withProgress } from "./cli/output.js";
import type { backups } from "./procedures/backup.js";

/** Adds `minutes backup`, `minutes backup verify` and `minutes restore`. */
export function addBackupCommands(program: OperatorCommand<{ backups: typeof backups }>): void {
  const backup = program
    .add("backup", "back up all data of the embedded database into a file, while the server keeps running")
    .argument(
      "[file]",
      "a new file; by default a file in BACKUP_DIR, of which the newest BACKUP_KEEP are kept",
    )
    .addHelpText(
      "after",
      "\nThe file is a compressed tar archive with the rows of all tables and the key for webhook secrets. With" +
        "\nBACKUP_PASSPHRASE it is encrypted in the format of age.",
    )
    .run(({ backups }, given: string | undefined, options) =>
      backUp(program.getConfig(), backups, given, options),
    );

  backup
    .command("verify <file>")
    .description(
      "restore a backup into a temporary copy in DATA_DIR, and compare it with the counts made at backup time",
    )
    .option("--json", "print the result as JSON")
    .action(async (file: string, _options, command: Command) => {
      // `backup` has the same option and parses it first.
      const options = command.optsWithGlobals<{ json?: true }>();
      const { verifyBackup } = await import("../operations/backup/restore-backup.js");
      const { BACKUP_PASSPHRASE = null, DATA_DIR } = program.getConfig();
      const restored = await verifyBackup(resolve(file), BACKUP_PASSPHRASE, resolve(DATA_DIR));
      print(options, restored, describe(`${file} is whole`, restored));
    });

  program
    .add("restore <file>", "restore a backup into DATA_DIR, which must be empty or missing")
    .action(async (file: string, options) => {
      const config = program.getConfig();
      requireEmbedded(config.DATABASE_URL);
      const { restoreBackup } = await import("../operations/backup/restore-backup.js");
      const dataDir = resolve(config.DATA_DIR);
      const restored = await restoreBackup(resolve(file), config.BACKUP_PASSPHRASE ?? null, dataDir);
      print(options, { dataDir, ...restored }, describe(`Restored into ${dataDir}`, restored));
    });
}

type BackupClient = Operator<{ backups: typeof backups }>["backups"];

/** Backs up into a file, or into BACKUP_DIR, whose oldest backups it then removes. */
async function backUp(
  config: Config,
  backups: BackupClient,
  given: string | undefined,
  options: { readonly json?: true },
): Promise<void> {
  requireEmbedded(config.DATABASE_URL);
  const passphrase = config.BACKUP_PASSPHRASE ?? null;
  const [{ createBackup }, folder] = await Promise.all([
    import("../operations/backup/create-backup.js"),
    import("../operations/backup/folder.js"),
  ]);
  const directory =
    given === undefined && config.BACKUP_DIR !== undefined ? resolve(config.BACKUP_DIR) : null;
  if (given === undefined && directory === null) throw new UsageError("Give a file, or set BACKUP_DIR.");
  if (directory !== null) {
    await folder.requireWritable(directory);
    await mkdir(directory, { recursive: true, mode: 0o700 }).catch(explainUnusable("BACKUP_DIR", directory));
  }
  const file =
    given === undefined
      ? folder.nameBackup(directory ?? "", new Date(), passphrase !== null)
      : resolve(given);
  const summary = await withProgress(null, "rows", (progress) =>
    createBackup(toBackupSteps(backups), file, {
      dataDir: resolve(config.DATA_DIR),
      passphrase,
      version: manifest.version,
      onProgress: (done, all) => {
        progress.setTotal(all);
        progress.update(done);
      },
    }),
  );
  const removed = directory === null ? [] : await folder.pruneBackups(directory, config.BACKUP_KEEP);
  if (!summary.encrypted) note(describeUnencrypted(summary));
  for (const sentence of [...describeOtherKeys(summary), ...describeAudioFiles(countAudio(summary))])
    note(sentence);
  print(options, { ...summary, removed }, [`${file}: ${formatBytes(summary.bytes)}`]);
}

/** Begins and ends the online backup in the process that has the database open. */
const toBackupSteps = (client: BackupClient): BackupSteps => ({
  begin: () => client.begin.mutate(),
  finish: (id) => client.finish.mutate({ id }),
  release: async (id) => void (await client.release.mutate({ id })),
});

/** Warns of the secrets in an unencrypted backup. */
const describeUnencrypted = ({ secretsKey }: { secretsKey: boolean }) =>
  secretsKey
    ? "The backup is not encrypted and contains secrets.key: anyone who reads it can decrypt what that key encrypts, such as webhook secrets. Set BACKUP_PASSPHRASE to encrypt it."
    : "The backup is not encrypted. Set BACKUP_PASSPHRASE to encrypt it.";

/** Says that a backup lacks a key. */
const describeOtherKeys = ({ secretsOfOtherKeys: secrets }: { secretsOfOtherKeys: number }): string[] =>
  secrets === 0
    ? []
    : [
        `SECRETS_KEY, which ${secrets === 1 ? "1 secret needs" : `${secrets} secrets need`}, is not in the backup: keep it elsewhere, and set it where you restore.`,
      ];

/** Counts meetings with kept audio. Its files are not in a backup. */
const countAudio = ({ rows: { kept_audio: meetings = 0 } }: { rows: Readonly<Record<string, number>> }) =>
  meetings;

/** Describes the content of a backup. */
function describe(
  sentence: string,
  restored: import("../operations/backup/restore-backup.js").RestoredBackup,
): string[] {
  const { info, rows, waitingDeliveries } = restored;
  const { meetings = 0, users = 0 } = rows;
  return [
    `${sentence}: made on ${info.createdAt} by Minutes ${info.minutes}, ${meetings} meetings of ${users} users.`,
    ...(waitingDeliveries > 0
      ? [
          `${waitingDeliveries} webhook deliveries were pending. The server sends them when it starts, with their original ids: those sent after the backup arrive twice.`,
        ]
      : []),
    ...describeOtherKeys(restored),
    ...describeAudioFiles(countAudio(restored)),
  ];
}

/** Refuses commands for the embedded database's files if the data is in PostgreSQL. */
function requireEmbedded(url: string | undefined): void {
  if (url !== undefined)
    throw new UsageError("DATABASE_URL is set: back up PostgreSQL with pg_dump, see docs/backup.md.");
}
