import { signSession } from "@minutes/core";
import type { Command } from "commander";
import { readEnv, SettingsError } from "../env.js";
import { sessionSecret } from "../session-secret.js";
import { note, print } from "./output.js";
import { addCommand, withOperator } from "./run.js";

/** Adds `minutes login <email>`. */
export function addLogin(program: Command): void {
  addCommand(program, "login <email>", "make a token for the settings API, valid for one hour").action(
    async (email, options) => {
      const secret = await sessionSecret(readEnv(process.env));
      if (secret === null) throw new SettingsError("On PostgreSQL, signing in needs SESSION_SECRET.");
      const { userId } = await withOperator(({ users }) => users.find.query({ email }));
      const token = signSession(secret, userId);
      print(options, { userId, token }, [token]);
      if (!options.json)
        note("Send it as Authorization: Bearer <token> to /settings/v1. It is valid for one hour.");
    },
  );
}
