import type { WorkspaceLink } from "@minutes/contract";
import type { operatorManagement } from "@minutes/core";
import { actAs, type OperatorCommand } from "./cli/command.js";
import { type Columns, confirm, note, printDone, printTable } from "./cli/output.js";

/** Adds `minutes public-links …`. */
export function addPublicLinksCommands(
  program: OperatorCommand<Pick<typeof operatorManagement, "publicLinks">>,
): void {
  const commands = program
    .command("public-links")
    .description("links with which people outside read meetings; <workspace> is an ID or a name");

  commands
    .add("list <workspace>", "list the links of a workspace that have not ended")
    .run(async ({ publicLinks }, workspace, options) => {
      const { allowed, links } = await publicLinks.listWorkspace.query({}, actAs({ workspace }));
      printTable(options, links, COLUMNS);
      if (!allowed && !options.json) note("The workspace doesn't allow public links.");
    });

  commands.add("revoke <link>", "end a link").run(async ({ publicLinks }, linkId, options) => {
    await publicLinks.revoke.mutate({ linkId });
    printDone(options, { id: linkId }, `${linkId} has ended.`);
  });

  commands
    .add("allow <workspace>", "let owners of meetings create links")
    .run(async ({ publicLinks }, workspace, options) => {
      await publicLinks.allow.mutate({ allowed: true }, actAs({ workspace }));
      printDone(options, { allowed: true }, "Owners of meetings can create public links.");
    });

  commands
    .add("forbid <workspace>", "end all links of a workspace, and let nobody create one")
    .option("--yes", "don't ask")
    .run(async ({ publicLinks }, workspace, { yes, ...options }) => {
      await confirm(`End all public links of the workspace ${workspace}?`, yes);
      await publicLinks.allow.mutate({ allowed: false }, actAs({ workspace }));
      printDone(options, { allowed: false }, "All public links have ended, and nobody can create one.");
    });
}

const COLUMNS: Columns<WorkspaceLink> = {
  ID: ({ id }) => id,
  MEETING: ({ meetingId }) => meetingId,
  OWNER: ({ owner }) => owner,
  SHOWS: ({ scope }) => scope,
  EXPIRES: ({ expiresAt }) => expiresAt,
  VIEWS: ({ views }) => views,
  "LAST VIEW": ({ lastViewedAt }) => lastViewedAt ?? "never",
};
