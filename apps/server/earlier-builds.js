import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Removes scripts that belong neither to this build nor to the previous one, from which a running server may still load
 * some.
 * @param {string} directory the directory of builds
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
