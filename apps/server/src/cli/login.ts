import type { Command } from "commander";
import { note, print } from "./output.js";
import { addCommand, withOperator } from "./run.js";

/** Adds `minutes login <email>`. */
export function addLogin(program: Command): void {
  addCommand(program, "login <email>", "make a token for the settings API, valid for one hour").action(
    async (email, options) => {
      const session = await withOperator(({ users }) => users.signIn.mutate({ email }));
      print(options, session, [session.token]);
      if (!options.json)
        note("Send it as Authorization: Bearer <token> to /settings/v1. It is valid for one hour.");
    },
  );
}
