import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Env, SettingsError } from "./env.js";

/** Characters of 32 random bytes. */
const LENGTH = 43;

/**
 * What signs the settings side's tokens: the setting, or for the embedded database a random one kept beside the
 * data, which only its owner can read. Null on PostgreSQL without the setting: nobody can sign in then.
 */
export async function sessionSecret(env: Env): Promise<string | null> {
  if (env.SESSION_SECRET !== undefined) return env.SESSION_SECRET;
  if (env.DATABASE_URL !== undefined) return null;
  const directory = resolve(env.DATA_DIR);
  const file = join(directory, "session-secret");
  const read = () => readFile(file, "utf8").catch(() => null);
  const known = await read();
  if (known !== null) return whole(known, file);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  // Made whole and then linked: of two processes that make one, the first wins and both read the same.
  const aside = `${file}.${randomBytes(6).toString("hex")}`;
  await writeFile(aside, randomBytes(32).toString("base64url"), { mode: 0o600 });
  await link(aside, file).catch(() => {});
  await rm(aside, { force: true });
  return whole(await readFile(file, "utf8"), file);
}

/** A file that a crash or a copy left empty or short would sign tokens that anybody can make. */
function whole(secret: string, file: string): string {
  if (secret.length < LENGTH) {
    throw new SettingsError(`${file} does not hold a whole secret: delete it, and a new one is made.`);
  }
  return secret;
}
