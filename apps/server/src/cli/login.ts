import type { Command } from "commander";
import { note, print } from "./output.js";
import { addCommand, withOperator } from "./run.js";

/** Adds `minutes login <email>`. */
export function addLoginCommands(program: Command): void {
  addCommand(
    program,
    "login <email>",
    "make a token for the settings API and a one-time link that signs a browser in",
  ).action(async (email, options) => {
    const session = await withOperator(({ users }) => users.signIn.mutate({ email }));
    print(options, session, [session.token]);
    if (!options.json) {
      note("Send it as Authorization: Bearer <token> to /settings/v1. It is valid for one hour.");
      note(`To sign a browser in, once within 15 minutes: ${session.link}`);
    }
  });
}
