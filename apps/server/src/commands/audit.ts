import type { operatorManagement } from "@minutes/core";
import { type OperatorCommand, toWholeNumber } from "./cli/command.js";
import { formatTable, print } from "./cli/output.js";

/** Adds `minutes audit`. */
export function addAuditCommands(program: OperatorCommand<Pick<typeof operatorManagement, "audit">>): void {
  program
    .add("audit", "list who did what and when, newest first; shows no content")
    .option(
      "--actor <actor>",
      "only actions of this user, key, `operator` or `anonymous`; an e-mail address or an ID",
    )
    .option("--action <action>", "only an action such as key.create, or all that start with key")
    .option("--object <id>", "only actions on this user, key, webhook, meeting, tag or workspace")
    .option(
      "--workspace <workspace>",
      "only joins, departures, deleted accounts and retention rules of this workspace; an ID or a name",
    )
    .option("--from <time>", "only at or after this ISO 8601 time")
    .option("--to <time>", "only at or before this ISO 8601 time")
    .option("--limit <number>", "number of entries, 1 to 1000 (default 100)", toWholeNumber(1, 1_000))
    .option("--cursor <cursor>", "nextCursor of the previous page", toWholeNumber(0))
    .addHelpText(
      "after",
      "\nThe table has IDs, and addresses of actors. --json also has names, and addresses of people and invitations, as actorEmail,\nactorName and objectName. Neither has content of meetings. AUDIT_LOG_DAYS sets how long the log is kept.",
    )
    .run(async ({ audit }, { json, workspace: workspaceId, ...filters }) => {
      const page = await audit.list.query({ workspaceId, ...filters });
      const lines = formatTable(page.entries, {
        TIME: ({ at }) => at,
        ACTOR: ({ actor, actorEmail }) => actorEmail ?? actor,
        ACTION: ({ action }) => action,
        OBJECT: ({ object }) => object,
        WORKSPACE: ({ workspaceId }) => workspaceId,
        METHOD: ({ method }) => method,
        NETWORK: ({ network }) => network,
      });
      print({ json }, page, lines, page.nextCursor === null ? [] : [`More: add --cursor ${page.nextCursor}`]);
    });
}
