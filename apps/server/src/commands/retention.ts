import type { RetentionPreview, RetentionRule } from "@minutes/contract";
import type { operatorManagement } from "@minutes/core";
import { actAs, type OperatorCommand, toWholeNumber } from "./cli/command.js";
import { type Columns, confirm, note, print, printDone, printTable } from "./cli/output.js";

/** Adds `minutes retention …`. */
export function addRetentionCommands(
  program: OperatorCommand<Pick<typeof operatorManagement, "retention">>,
): void {
  const commands = program
    .command("retention")
    .description("how long workspaces keep their meetings; <workspace> is an ID or a name");

  commands
    .add("list <workspace>", "list the retention rules of a workspace")
    .run(async ({ retention }, workspace, options) => {
      const { rules } = await retention.list.query({}, actAs({ workspace }));
      printTable(options, rules, COLUMNS);
    });

  commands
    .add("set <workspace> <days>", "delete meetings this many days after their start, from tomorrow on")
    .option("--tag <name>", "only meetings with this tag, in place of the rule for all meetings")
    .option("--yes", "don't ask")
    .run(async ({ retention }, workspace, days, { tag, yes, ...options }) => {
      const [rule, as] = [{ tag, days: Number(days) }, actAs({ workspace })];
      const preview = await retention.preview.query(rule, as);
      if (!options.json) note(describe(preview));
      await confirm(
        "Set this rule?",
        yes,
        `${preview.meetings} meetings are older and will be deleted from tomorrow on, unless "retention delete" removes the rule first`,
      );
      const { id, nextRunAt } = await retention.set.mutate(rule, as);
      printDone(
        options,
        { id, nextRunAt, unusedTags: preview.unusedTags },
        `${id} is set. The next run is at ${nextRunAt}.`,
      );
    });

  commands.add("delete <rule>", "delete a retention rule").run(async ({ retention }, ruleId, options) => {
    await retention.delete.mutate({ ruleId });
    printDone(options, { id: ruleId }, `${ruleId} is deleted.`);
  });

  commands
    .add("dry-run <workspace>", "count the meetings that would be deleted now; changes nothing")
    .option("--days <number>", "as if this rule were set", toWholeNumber(1))
    .option("--tag <name>", "with --days: as if it were set for this tag")
    .run(async ({ retention }, workspace, { days, tag, ...options }) => {
      const preview = await retention.preview.query({ days, tag }, actAs({ workspace }));
      print(options, preview, [describe(preview)]);
    });
}

const describe = ({ meetings, held, unusedTags, nextRunAt }: RetentionPreview): string =>
  [
    `${meetings} meetings are older than their rule allows, and ${held} more are on hold.`,
    ...unusedTags.map(
      (tag) => `No member has a tag named "${tag}": its rule does nothing until somebody has.`,
    ),
    ...(nextRunAt === null ? [] : [`The next run is at ${nextRunAt}.`]),
  ].join(" ");

const COLUMNS: Columns<RetentionRule> = {
  ID: ({ id }) => id,
  TAG: ({ tag }) => tag,
  DAYS: ({ days }) => days,
  "NEXT RUN": ({ nextRunAt }) => nextRunAt,
};
