import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Removes the scripts that neither this build nor the one before it made. Those of the one before stay: a server that
 * runs from them loads some of them later.
 * @param {string} directory where builds are put
 * @param {string[]} names the scripts of this build
 */
export async function removeEarlierBuilds(directory, names) {
  const list = join(directory, "builds.json");
  const known = JSON.parse(await readFile(list, "utf8").catch(() => "[]"));
  const build = names.toSorted();
  const builds = [build, ...known.filter((one) => one.join() !== build.join())].slice(0, 2);
  const kept = new Set(builds.flat());
  for (const name of await readdir(directory)) {
    if (/\.js(\.map)?$/.test(name) && !kept.has(name)) await rm(join(directory, name), { force: true });
  }
  await writeFile(list, JSON.stringify(builds));
}
