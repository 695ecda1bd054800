import type { operatorManagement } from "@minutes/core";
import type { inferProcedureOutput } from "@trpc/server";
import { Option } from "commander";
import { actAs, type Operator, type OperatorCommand } from "./cli/command.js";
import { EXIT } from "./cli/exit.js";
import { print, printDone, printTable } from "./cli/output.js";
import { ROLES } from "./membership.js";

type Operations = Pick<typeof operatorManagement, "invitations">;
type Invitation = inferProcedureOutput<Operations["invitations"]["create"]>;

/** What became of one address. */
type Result = { readonly email: string } & (Invitation | { readonly error: string });

/** Adds `minutes invitations …`. */
export function addInvitationsCommands(program: OperatorCommand<Operations>): void {
  const commands = program
    .command("invitations")
    .description("invitations to a workspace by one of its admins; <admin> is an e-mail address or an ID");

  commands
    .add("create <admin> <emails...>", "invite people to the admin's workspace")
    .addOption(new Option("--role <role>", "role in the workspace").choices(ROLES).default("member"))
    .run(async ({ invitations }, admin, emails, { role, ...options }) => {
      const results = await inviteEach(emails, (email) =>
        invitations.create.mutate({ email, role }, actAs({ user: admin })),
      );
      const failed = results.filter((result) => "error" in result).length;
      print(
        options,
        results,
        results.map((result) => `${result.email}  ${describeResult(result)}`),
        [`${results.length - failed} of ${results.length} invited.`],
      );
      if (failed > 0) process.exitCode = EXIT.failed;
    });

  commands
    .add("list <admin>", "list the open invitations to the admin's workspace")
    .run(async (operator, admin, options) =>
      printTable(options, await listInvitations(operator, admin), {
        ID: ({ id }) => id,
        FOR: ({ email }) => email ?? "anyone with the link",
        ROLE: ({ role }) => role,
        EXPIRES: ({ expiresAt }) => expiresAt,
      }),
    );

  commands
    .add("delete <admin> <invitation>", "revoke an invitation: its link ends")
    .run(async ({ invitations }, admin, invitationId, options) => {
      await invitations.revoke.mutate({ invitationId }, actAs({ user: admin }));
      printDone(options, { id: invitationId }, `${invitationId} is revoked.`);
    });
}

const listInvitations = async ({ invitations }: Operator<Operations>, admin: string) =>
  (await invitations.list.query({}, actAs({ user: admin }))).invitations;

/**
 * Invites each address once, in order, and goes on after a refusal.
 * @throws the first refusal that concerns no address, such as that of somebody who is no admin
 */
async function inviteEach(
  emails: readonly string[],
  invite: (email: string) => Promise<Invitation>,
): Promise<Result[]> {
  const { toFailure } = await import("./cli/failure.js");
  const { toRefusal } = await import("../operations/refusal.js");
  const results: Result[] = [];
  const each = new Map(emails.map((email) => [email.toLowerCase(), email]));
  for (const email of each.values()) {
    try {
      results.push({ email, ...(await invite(email)) });
    } catch (error) {
      const code = toRefusal(error)?.code;
      const isAboutAll = code === undefined || code === "NOT_FOUND" || code === "FORBIDDEN";
      // Links of earlier ones are shown only in this command's result.
      if (isAboutAll && results.length === 0) throw error;
      results.push({ email, error: toFailure(error).message });
    }
  }
  return results;
}

function describeResult(result: Result): string {
  if ("error" in result) return `not invited: ${result.error}`;
  const sent = result.link === null ? "sent by e-mail" : `not sent by e-mail, pass it on: ${result.link}`;
  return result.renewed ? `${sent} (the earlier link no longer works)` : sent;
}
