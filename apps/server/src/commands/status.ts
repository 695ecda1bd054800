import type { inferProcedureOutput } from "@trpc/server";
import { getServerUrl } from "../config/public-url.js";
import type { OperatorCommand } from "./cli/command.js";
import { EXIT } from "./cli/exit.js";
import { print } from "./cli/output.js";
import { askServer } from "./operator/ask-server.js";
import type { database, status } from "./procedures/inspect.js";

/** The status reported by the process that has the database open. */
type Status = inferProcedureOutput<typeof status.read> & {
  /**
   * Time of the newest backup in BACKUP_DIR; null if there is none. Absent on PostgreSQL, which has its own backups.
   */
  readonly lastBackup?: string | null;
};

type Operations = { database: typeof database; status: typeof status };

const MEGABYTE = 2 ** 20;

/** Adds `minutes status`. */
export function addStatusCommands(program: OperatorCommand<Operations>): void {
  program
    .add("status", "show versions, sizes, queues and problems")
    .addHelpText(
      "after",
      "\nThe exit code is 1 if a check of `minutes doctor` fails. Counts stop at 100,000.",
    )
    .action(async (options) => {
      const { checkInstallation } = await import("./doctor/index.js");
      const checks = await checkInstallation(process.env, program.connect);
      const problems = checks.filter(({ status }) => status === "warn" || status === "fail");
      const hasFailure = problems.some(({ status }) => status === "fail");
      // If the database doesn't answer, the reason is among the problems.
      const status = hasFailure ? await readStatus(program).catch(() => null) : await readStatus(program);
      const list = (title: string, kind: "fail" | "warn") => {
        const found = problems.filter(({ status }) => status === kind);
        return found.length === 0
          ? []
          : [title, ...found.map(({ name, message }) => `  ${name}: ${message}`)];
      };
      print(options, { status, problems }, [
        ...(status ? describeStatus(status) : ["The database does not answer."]),
        ...list("Failed:", "fail"),
        ...list("Warnings:", "warn"),
        ...(problems.length === 0 ? ["No problems found."] : []),
      ]);
      if (hasFailure) process.exitCode = EXIT.failed;
    });
}

async function readStatus({ connect, getConfig }: OperatorCommand<Operations>): Promise<Status> {
  const config = getConfig();
  const { operator, close } = connect(config, { migrate: false, poolSize: 1 });
  try {
    const status = await operator.status.read.query();
    if (status.engine === "postgres") {
      // Several servers can share the database, so none of them answers the command.
      const search = (await askServer(getServerUrl(config), "/ready"))?.search;
      if (search === undefined) return status;
      const waiting = search.mode === "words" ? 0 : status.queues.meetingsWithoutVectors;
      return { ...status, search: { ...search, waiting } };
    }
    const { listBackups } = await import("../operations/backup/folder.js");
    const [newest] = config.BACKUP_DIR ? await listBackups(config.BACKUP_DIR) : [];
    return { ...status, lastBackup: newest?.createdAt.toISOString() ?? null };
  } finally {
    await close();
  }
}

function describeStatus(status: Status): string[] {
  const { queues } = status;
  const rows: [name: string, value: string][] = [
    ["Minutes", `${status.version} on Node.js ${status.node}`],
    [
      "Database",
      `${status.engine === "embedded" ? "embedded, " : ""}PostgreSQL ${status.postgresVersion}, ` +
        `${Math.ceil(status.databaseBytes / MEGABYTE)} MB, schema ${status.schema}`,
    ],
    ["Search", describeSearch(status)],
    [
      "Deliveries",
      `${queues.deliveriesPending} pending, ${queues.deliveriesHeld} held, the oldest due for ${Math.round(queues.oldestDueDelivery)} s`,
    ],
    ["Webhooks", `${queues.webhooksPaused} paused`],
    [
      "Recordings",
      `${queues.recordingsRecording} recording, ${queues.recordingsProcessing} processing, ${queues.recordingsFailed} failed`,
    ],
    ["Change feed", `${Math.round(status.feedDelay)} s behind`],
    ...describeBackup(status),
  ];
  return rows.map(([name, value]) => `${name.padEnd(12)}  ${value}`);
}

/** Describes the newest backup; empty on PostgreSQL, whose backups are not managed by Minutes. */
const describeBackup = ({ lastBackup }: Status): [name: string, value: string][] =>
  lastBackup === undefined ? [] : [["Last backup", lastBackup ?? "none in BACKUP_DIR"]];

function describeSearch({ search, queues }: Status): string {
  if (search === null)
    return `no server answers here, ${queues.meetingsWithoutVectors} meetings without vectors`;
  if (search.mode === "words") return "by words";
  const mode = search.mode === "failing" ? "words: the model fails (see doctor)" : "meaning";
  return `by ${mode}, ${search.name}, ${search.waiting} meetings still to encode`;
}
