import type { Command } from "commander";
import { listBackups } from "../backup/folder.js";
import { checkInstallation } from "../doctor/index.js";
import { readEnv } from "../env.js";
import { connectOperator } from "../operator/client.js";
import type { OperatorOutputs } from "../operator/router.js";
import { EXIT } from "./failure.js";
import { print } from "./output.js";
import { addCommand } from "./run.js";

/** What the process that has the database open says, and when the newest backup in BACKUP_DIR was made. */
type Status = OperatorOutputs["status"]["read"] & { readonly lastBackup: string | null };

const MEGABYTE = 2 ** 20;

/** Adds `minutes status`. */
export function addStatusCommands(program: Command): void {
  addCommand(program, "status", "show versions, sizes, queues, and what is wrong")
    .addHelpText("after", "\nIt ends with 1 when a check of `minutes doctor` fails. Counts stop at 100,000.")
    .action(async (options) => {
      const checks = await checkInstallation(process.env);
      const problems = checks.filter(({ status }) => status !== "ok");
      const hasFailure = problems.some(({ status }) => status === "fail");
      // What keeps the database from answering is among the problems.
      const status = hasFailure ? await readStatus().catch(() => null) : await readStatus();
      const wrong = problems.map(({ name, message }) => `${name}: ${message}`);
      print(options, { status, problems }, [
        ...(status ? describeStatus(status) : ["The database does not answer."]),
        ...(wrong.length > 0 ? ["Wrong:", ...wrong.map((line) => `  ${line}`)] : ["Nothing is wrong."]),
      ]);
      if (hasFailure) process.exitCode = EXIT.failed;
    });
}

async function readStatus(): Promise<Status> {
  const env = readEnv(process.env);
  const { operator, close } = connectOperator(env, { migrate: false, poolSize: 1 });
  try {
    const [newest] = env.BACKUP_DIR ? await listBackups(env.BACKUP_DIR) : [];
    return {
      ...(await operator.status.read.query()),
      lastBackup: newest?.createdAt.toISOString() ?? null,
    };
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
    ["Last backup", status.lastBackup ?? "none in BACKUP_DIR"],
  ];
  return rows.map(([name, value]) => `${name.padEnd(12)}  ${value}`);
}

function describeSearch({ search, queues }: Status): string {
  const waiting = `${queues.meetingsWithoutVectors} meetings without vectors`;
  if (search === null) return `no server answers here, ${waiting}`;
  if (search.mode === "words") return "by words";
  return `by ${search.mode === "failing" ? "words: the model fails" : "meaning"}, ${search.name}, ${waiting}`;
}
