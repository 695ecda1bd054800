import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { removeEarlierBuilds } from "../../earlier-builds.js";

test("a build keeps the scripts of the one before it, and removes those of earlier ones", async () => {
  const directory = await mkdtemp(join(tmpdir(), "minutes-builds-"));
  try {
    const build = async (...names: string[]) => {
      for (const name of names) await writeFile(join(directory, name), "");
      await removeEarlierBuilds(directory, names);
    };
    await writeFile(join(directory, "sample.json"), "");
    await build("main.js", "a.js", "a.js.map");
    await build("main.js", "b.js");
    // Repeating a build does not count as another one.
    await build("main.js", "b.js");
    expect((await readdir(directory)).toSorted()).toEqual([
      "a.js",
      "a.js.map",
      "b.js",
      "builds.json",
      "main.js",
      "sample.json",
    ]);
    await build("main.js", "c.js");
    expect((await readdir(directory)).toSorted()).toEqual([
      "b.js",
      "builds.json",
      "c.js",
      "main.js",
      "sample.json",
    ]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
