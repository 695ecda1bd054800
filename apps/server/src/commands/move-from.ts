import type { operations, operatorManagement } from "@minutes/core";
import type { Destination, MoveMeetingsOptions, MoveReport } from "../operations/move-from/move-meetings.js";
import type { Operator, OperatorCommand } from "./cli/command.js";
import { EXIT, UsageError } from "./cli/exit.js";
import { type CommonOptions, formatTable, note, type Progress, print, withProgress } from "./cli/output.js";
import type { imports } from "./procedures/import.js";

type Moves = Pick<typeof operatorManagement, "users"> & {
  meetings: typeof imports & (typeof operations)["meetings"];
};

const HELP = `
Copies title, times, summary, transcript, participants, tasks, tags and calendar event of every meeting that the keys can
read, and compares each with the source. The source is only read, within its rate limit. A meeting keeps its ID as
externalId, so a repeated command continues where the last one ended. Nothing is charged or locked, and no events are sent.
Instead of as options, which other users of this machine can see, keys can be in MOVE_FROM_KEY and
MOVE_FROM_WORKSPACE_KEY.`;

interface MoveFromOptions extends CommonOptions {
  readonly key?: string;
  readonly workspaceKey?: string;
  readonly owner?: string;
  readonly createOwners?: string;
  readonly replace?: true;
  readonly check?: true;
}

/** Adds `minutes move-from <url>`. */
export function addMoveFromCommands(program: OperatorCommand<Moves>): void {
  program
    .add("move-from <url>", "copy meetings from another service with this API, or from another Minutes")
    .option("--key <apiKey>", "personal API key there: own meetings, and those shared with its user")
    .option("--workspace-key <apiKey>", "workspace API key there: all meetings of the workspace")
    .option("--owner <email>", "owner of all meetings; by default, the user here with the same address")
    .option("--create-owners <workspace>", "create missing owners as members of this workspace")
    .option("--replace", "read meetings again that were moved before, and replace those that differ")
    .option("--check", "only compare meetings that were moved before, and change nothing")
    .addHelpText("after", HELP)
    .action(async (url: string, options: MoveFromOptions) => {
      const key = options.key ?? process.env.MOVE_FROM_KEY;
      const workspaceKey = options.workspaceKey ?? process.env.MOVE_FROM_WORKSPACE_KEY;
      if (!key && !workspaceKey) throw new UsageError("Give --key or --workspace-key.");
      if (options.replace && options.check) throw new UsageError("Give either --replace or --check.");
      await program.operate((operator) => moveFrom(operator, url, { ...options, key, workspaceKey }));
    });
}

async function moveFrom(
  operator: Operator<Moves>,
  url: string,
  {
    key,
    workspaceKey,
    owner,
    createOwners,
    ...options
  }: Record<"key" | "workspaceKey", string | undefined> & Omit<MoveFromOptions, "key" | "workspaceKey">,
): Promise<void> {
  // Loaded lazily: no other command needs the client.
  const { openSource } = await import("../operations/move-from/source.js");
  const { moveMeetings } = await import("../operations/move-from/move-meetings.js");
  const destination: Destination = {
    find: (ownerEmail, externalIds) =>
      operator.meetings.findImported.query({ ownerEmail, externalIds: [...externalIds] }),
    store: (meeting) => operator.meetings.import.mutate(meeting),
    get: (meetingId) => operator.meetings.get.query({ meetingId }),
    createOwner:
      createOwners === undefined
        ? null
        : (email) => operator.users.create.mutate({ email, workspace: createOwners }),
  };
  const mode = options.check ? "check" : options.replace ? "replace" : "new";
  let progress: Progress | undefined;
  const onWait = (milliseconds: number) =>
    progress?.update({ waiting: `, waiting ${Math.ceil(milliseconds / 1000)} s for the source` });
  const source = connect(() =>
    openSource(url, { key: key || undefined, workspaceKey: workspaceKey || undefined, onWait }),
  );
  const move = (onProgress?: MoveMeetingsOptions["onProgress"]) =>
    moveMeetings(source, destination, { owner, mode, onProgress });
  const report = await withProgress(
    null,
    "meetings{waiting}",
    (shown) => {
      progress = shown;
      return move((done, total) => {
        shown.setTotal(total);
        shown.update({ waiting: "" });
        shown.update(done);
      });
    },
    { values: { waiting: "" } },
  );
  print(options, report, summarise(report, mode));
  for (const { email, meetings, error } of report.owners)
    note(`${meetings} meetings of ${email} were not moved: ${error}`);
  if (report.owners.length > 0 && createOwners === undefined)
    note("Create the owners, or use --create-owners <workspace>.");
  for (const { id, error } of report.failed) note(`${id}: ${error}`);
  for (const { id, remarks } of report.remarks) note(`${id}: ${remarks.join(" ")}`);
  for (const { id, fields } of report.different) note(`${id} differs in ${fields.join(", ")}`);
  if (!isComplete(report)) process.exitCode = EXIT.failed;
}

/** Runs `open`. @throws UsageError for an address that can't be one of a service */
function connect<Result>(open: () => Result): Result {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(error.message.replace("baseUrl", "The URL"));
  }
}

/** Another service can render the same Markdown to other HTML, which is no loss. */
const isComplete = ({ owners, failed, different }: MoveReport): boolean =>
  owners.length === 0 &&
  failed.length === 0 &&
  different.every(({ fields }) => fields.every((field) => field === "summary.html"));

function summarise(report: MoveReport, mode: MoveMeetingsOptions["mode"]): string[] {
  const { listed, moved, replaced, alreadyThere, deletedHere, goneThere, compared, failed } = report;
  const rows: [string, number][] = [
    ["there", listed],
    ...(mode === "check" ? [] : [["moved now", moved] as [string, number]]),
    ...(mode === "replace" ? [["replaced", replaced] as [string, number]] : []),
    ["here already", alreadyThere],
    ["deleted here since", deletedHere],
    ["deleted there meanwhile", goneThere],
    ["not moved: owner unknown here", report.owners.reduce((sum, { meetings }) => sum + meetings, 0)],
    ["failed", failed.length],
  ];
  const fields = new Map<string, number>();
  for (const one of report.different)
    for (const field of one.fields) fields.set(field, (fields.get(field) ?? 0) + 1);
  const differences = [...fields].map(([field, count]) => `${count} in ${field}`);
  return [
    ...formatTable(
      rows.filter(([name, count]) => count > 0 || name === "there" || name === "moved now"),
      { MEETINGS: ([name]) => name, COUNT: ([, count]) => count },
    ),
    `${compared} compared with the source: ${differences.length === 0 ? "no differences" : `different: ${differences.join(", ")}`}`,
  ];
}
