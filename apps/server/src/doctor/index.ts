import { type Env, readEnv, SettingsError } from "../env.js";
import { type Check, fail, ok } from "./check.js";
import { checkDatabase } from "./database.js";
import { checkDataDir, checkDisk, checkNode, checkPort } from "./machine.js";

/** Looks at everything that an installation stands on. What depends on wrong settings is left out. */
export async function examine(source: Readonly<Record<string, string | undefined>>): Promise<Check[]> {
  let env: Env;
  try {
    env = readEnv(source);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return [checkNode(), ...error.message.split("\n").map((sentence) => fail("Settings", sentence))];
  }
  const machine = env.DATABASE_URL === undefined ? [await checkDataDir(env), await checkDisk(env)] : [];
  return [
    checkNode(),
    ok("Settings", env.DATABASE_URL === undefined ? "embedded database." : "PostgreSQL."),
    ...machine,
    ...(machine.some(({ status }) => status === "fail") ? [] : await checkDatabase(env)),
    await checkPort(env),
  ];
}
