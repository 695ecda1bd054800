import type { Command } from "commander";
import { formatTable, note, print } from "./output.js";
import { addCommand, withOperator } from "./run.js";

/** Adds `minutes audit`. */
export function addAuditCommands(program: Command): void {
  addCommand(program, "audit", "list who did what and when, newest first; ids and no content")
    .option("--actor <actor>", "only what this user, key or `operator` did; an e-mail address or an id")
    .option("--action <action>", "only an action such as key.create, or all that begin with key")
    .option("--object <id>", "only what was done to this user, key, webhook, meeting, tag or workspace")
    .option("--workspace <workspaceId>", "only who joined or left this workspace")
    .option("--from <time>", "only at this ISO 8601 time or later")
    .option("--to <time>", "only at this ISO 8601 time or earlier")
    .option("--limit <number>", "how many, 1 to 1000; 100 when absent", Number)
    .option("--cursor <cursor>", "nextCursor of the page before", Number)
    .addHelpText("after", "\nAUDIT_LOG_DAYS sets how long the log is kept.")
    .action(async ({ json, workspace: workspaceId, ...filters }) => {
      const page = await withOperator(({ audit }) => audit.list.query({ workspaceId, ...filters }));
      const lines = formatTable(page.entries, {
        TIME: ({ at }) => at,
        ACTOR: ({ actor, actorEmail }) => actorEmail ?? actor,
        ACTION: ({ action }) => action,
        OBJECT: ({ object }) => object,
        WORKSPACE: ({ workspaceId }) => workspaceId,
      });
      print({ json }, page, lines);
      if (!json && page.nextCursor !== null) note(`More: add --cursor ${page.nextCursor}`);
    });
}
