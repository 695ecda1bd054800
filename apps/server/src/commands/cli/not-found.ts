import type { MESSAGES } from "@minutes/contract";
import type { Command } from "commander";

/** By message: the argument and option placeholders that name the missing object, and the command that lists such objects. */
const KINDS: Readonly<Partial<Record<keyof typeof MESSAGES, readonly [string[], string]>>> = {
  workspaceNotFound: [["workspace"], "workspaces list"],
  userNotFound: [["user", "admin"], "users list"],
  userIdUnknown: [["user", "admin"], "users list"],
  memberNotFound: [["user"], "workspaces members <workspace>"],
  personNotFound: [["person", "personId"], "people list <workspace>"],
  meetingNotFound: [["meetingId", "meeting"], "meetings list <user>"],
  taskNotFound: [["taskId"], "tasks list <user>"],
  taskNotWritable: [["taskId"], "tasks list <user>"],
  recordingNotFound: [["recordingId"], "recordings list <user>"],
  tagNotFound: [["tag"], "tags list <user>"],
  keyNotFound: [["key"], "keys list <user>"],
  webhookNotFound: [["webhook"], "webhooks list <user>"],
  deliveryNotFound: [["deliveryId"], "webhooks deliveries <webhook>"],
  publicLinkNotFound: [["link"], "public-links list <workspace>"],
  retentionRuleNotFound: [["rule"], "retention list <workspace>"],
  invitationNotFound: [["invitation"], "invitations list <admin>"],
};

/**
 * Extends a not-found error with the given name and the command that lists the existing ones. Safe, because only the operator, who can
 * see everything, runs commands.
 * @param given the command's arguments, then its options
 * @returns other errors unchanged
 */
export async function explainNotFound(
  error: unknown,
  command: Command,
  given: readonly unknown[],
): Promise<unknown> {
  if (!(error instanceof Error)) return error;
  const { MESSAGES: messages } = await import("@minutes/contract");
  const kind = Object.entries(KINDS).find(
    ([name]) => messages[name as keyof typeof messages] === error.message,
  );
  if (!kind) return error;
  const [, [placeholders, list]] = kind;
  const named = placeholders.flatMap((placeholder) => findGiven(command, given, placeholder))[0];
  const sentence = named === undefined ? error.message : `${error.message.replace(/\.$/, "")}: ${named}.`;
  const { ExplainedError } = await import("@minutes/db");
  return new ExplainedError(`${sentence.replace(/([^.])$/, "$1.")} "minutes ${list}" lists them.`);
}

/** Returns the value that a command got for a placeholder, in a list of at most one. */
function findGiven(
  { registeredArguments, options }: Command,
  given: readonly unknown[],
  placeholder: string,
): string[] {
  const at = registeredArguments.findIndex((argument) => argument.name().split("|").includes(placeholder));
  const chosen = given[registeredArguments.length] as Readonly<Record<string, unknown>> | undefined;
  const option = options.find(({ flags }) =>
    [`<${placeholder}>`, `[${placeholder}]`].some((end) => flags.endsWith(end)),
  );
  return [at < 0 ? undefined : given[at], option && chosen?.[option.attributeName()]].filter(
    (value) => typeof value === "string",
  );
}
