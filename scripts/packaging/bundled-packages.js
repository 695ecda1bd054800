import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { findLicenceText, readManifest } from "./installed-packages.js";

const SERVER = fileURLToPath(new URL("../../apps/server/", import.meta.url));

/**
 * A package of npm whose code is inside a script.
 * @typedef {object} BundledPackage
 * @property {string} name
 * @property {string} version
 * @property {string | undefined} licence as the package's manifest says
 * @property {string | undefined} text of the licence
 */

/**
 * Lists the packages in the server's bundle and in the console's scripts, by name.
 * @param {{ outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }> }} metafile of esbuild
 * @param {string | null} consoleDirectory the console's build
 * @returns {BundledPackage[]}
 */
export function findBundledPackages(metafile, consoleDirectory) {
  const directories = new Set(
    Object.values(metafile.outputs)
      .flatMap(({ inputs }) => Object.keys(inputs))
      .map((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1])
      .filter((directory) => directory !== undefined)
      .map((directory) => resolve(SERVER, directory)),
  );
  const packages = [...directories].map((directory) => {
    const { name, version, license } = readManifest(directory);
    return { name, version, licence: license, text: findLicenceText(directory) };
  });
  for (const { name, version, identifier, text } of consoleDirectory
    ? readConsoleLicences(consoleDirectory)
    : [])
    if (!name.startsWith("@minutes/")) packages.push({ name, version, licence: identifier, text });
  const unique = new Map(packages.map((one) => [`${one.name}@${one.version}`, one]));
  return [...unique.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Reads the packages listed by the console's build. */
function readConsoleLicences(directory) {
  const file = join(directory, "licenses.json");
  if (!existsSync(file))
    throw new Error(`${dirname(file)} was built by an older version: remove it and build again.`);
  return JSON.parse(readFileSync(file, "utf8"));
}
