import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { readEnv } from "../env.js";
import { UsageError } from "./failure.js";
import { note, print, withProgress } from "./output.js";
import { addCommand, withOperator } from "./run.js";

/** Adds `minutes backup`, `minutes backup verify` and `minutes restore`. */
export function addBackupCommands(program: Command): void {
  const backup = addCommand(
    program,
    "backup",
    "write all data of the embedded database into a file, while the server goes on",
  )
    .argument("[file]", "a new file; without one, a file in BACKUP_DIR, of which BACKUP_KEEP are kept")
    .addHelpText(
      "after",
      "\nThe file is a compressed tar archive with the database and the key of webhooks' secrets. With BACKUP_PASSPHRASE it" +
        "\nis encrypted, in the format of the program age.",
    )
    .action(async (given: string | undefined, options) => {
      const env = readEnv(process.env);
      requireEmbedded(env.DATABASE_URL);
      const passphrase = env.BACKUP_PASSPHRASE ?? null;
      const [{ createBackup }, folder] = await Promise.all([
        import("../backup/create-backup.js"),
        import("../backup/folder.js"),
      ]);
      const directory = env.BACKUP_DIR === undefined ? null : resolve(env.BACKUP_DIR);
      if (given === undefined && directory === null)
        throw new UsageError("Name a file, or a directory for backups in BACKUP_DIR.");
      if (given === undefined && directory !== null) await mkdir(directory, { recursive: true, mode: 0o700 });
      const file =
        given === undefined
          ? folder.nameBackup(directory ?? "", new Date(), passphrase !== null)
          : resolve(given);
      const summary = await withOperator((operator) =>
        withProgress(100, "percent of the files", (progress) =>
          createBackup(operator, file, {
            dataDir: resolve(env.DATA_DIR),
            passphrase,
            version: manifest.version,
            onProgress: (done, all) => progress.update(Math.floor((100 * done) / all)),
          }),
        ),
      );
      const removed =
        given === undefined && directory !== null
          ? await folder.pruneBackups(directory, env.BACKUP_KEEP)
          : [];
      if (!summary.encrypted && !options.json)
        note(
          "The backup is not encrypted, and holds the key of webhooks' secrets. BACKUP_PASSPHRASE encrypts it.",
        );
      print(options, { ...summary, removed }, [`${file}: ${formatBytes(summary.bytes)}`]);
    });

  backup
    .command("verify <file>")
    .description("restore a backup aside, and compare it with what was counted when it was made")
    .option("--json", "print the result as JSON")
    .action(async (file: string, _options, command: Command) => {
      // `backup` has the same option, and takes it from the line before this command sees it.
      const options = command.optsWithGlobals<{ json?: true }>();
      const { verifyBackup } = await import("../backup/restore-backup.js");
      const restored = await verifyBackup(resolve(file), readEnv(process.env).BACKUP_PASSPHRASE ?? null);
      print(options, restored, describe(`${file} is whole`, restored));
    });

  addCommand(
    program,
    "restore <file>",
    "restore a backup into DATA_DIR, which must be empty or missing",
  ).action(async (file: string, options) => {
    const env = readEnv(process.env);
    requireEmbedded(env.DATABASE_URL);
    const { restoreBackup } = await import("../backup/restore-backup.js");
    const dataDir = resolve(env.DATA_DIR);
    const restored = await restoreBackup(resolve(file), env.BACKUP_PASSPHRASE ?? null, dataDir);
    print(options, { dataDir, ...restored }, describe(`Restored into ${dataDir}`, restored));
  });
}

/** Describes what a backup holds. */
function describe(
  sentence: string,
  { info, rows, waitingDeliveries }: import("../backup/restore-backup.js").RestoredBackup,
): string[] {
  const { meetings = 0, users = 0 } = rows;
  return [
    `${sentence}: made on ${info.createdAt} by Minutes ${info.minutes}, ${meetings} meetings of ${users} users.`,
    ...(waitingDeliveries > 0
      ? [
          `${waitingDeliveries} webhook deliveries were waiting. The server sends them when it starts, with their first ids: those that were sent after the backup arrive twice.`,
        ]
      : []),
  ];
}

const formatBytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`;

/** Refuses commands about the embedded database's files where the data is in PostgreSQL. */
function requireEmbedded(url: string | undefined): void {
  if (url !== undefined)
    throw new UsageError("DATABASE_URL is set: PostgreSQL is backed up with pg_dump, see docs/backup.md.");
}
