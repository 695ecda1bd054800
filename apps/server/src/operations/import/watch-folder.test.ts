import { appendFile, mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDir } from "@minutes/testing";
import { expect, test } from "vitest";
import { FolderWatch, type ImportWatched, type WatchedFile } from "./watch-folder.js";
import { STATE_FILE } from "./watch-state.js";

const DONE = { imported: 1, unchanged: 0, failed: [] };
const fail = (error: string, passes?: true): Awaited<ReturnType<ImportWatched>> => ({
  ...{ imported: 0, unchanged: 0 },
  failed: [{ index: null, line: null, error, ...(passes ? { passes } : {}) }],
});

/** Opens a folder whose files are imported by a function; by default each is. */
async function watch(
  answer: (path: string) => Awaited<ReturnType<ImportWatched>> = () => DONE,
  move = false,
) {
  const folder = await temporaryDir();
  const tried: string[] = [];
  const reported: WatchedFile[] = [];
  let watched = await FolderWatch.open(folder, { move });
  const look = async () => {
    const { due } = await watched.look();
    for (const found of due) {
      const done = await watched.import(found, async (path) => {
        tried.push(path.slice(folder.length + 1));
        return answer(path);
      });
      if (done) reported.push(done);
    }
  };
  const write = async (file: string, text = "Anna: Hello.") => {
    await mkdir(join(folder, file, ".."), { recursive: true });
    await writeFile(join(folder, file), text);
  };
  const restart = async () => {
    watched = await FolderWatch.open(folder, { move });
  };
  const lookTwice = async () => {
    await look();
    await look();
  };
  return { folder, tried, reported, look, lookTwice, write, restart };
}

test("a file is imported once it is the same at two looks, and never again, also after a restart", async () => {
  const { folder, tried, look, lookTwice, write, restart } = await watch();
  await write("one.txt");
  await write("below/two.vtt");
  await look();
  await appendFile(join(folder, "one.txt"), "more");
  await look();
  expect(tried).toEqual(["below/two.vtt"]);
  await look();
  expect(tried).toEqual(["below/two.vtt", "one.txt"]);
  await lookTwice();
  await restart();
  await lookTwice();
  expect(tried).toHaveLength(2);
});

test("a file or folder that a link replaces after the look is neither imported nor moved", async () => {
  const elsewhere = await temporaryDir();
  await writeFile(join(elsewhere, "two.txt"), "Zoe: Secret.");
  const { folder, write } = await watch();
  const watched = await FolderWatch.open(folder, { move: true });
  for (const file of ["one.txt", "below/two.txt", "three.txt"]) await write(file);
  await watched.look();
  const { due } = await watched.look();
  await rm(join(folder, "one.txt"));
  await symlink(join(elsewhere, "two.txt"), join(folder, "one.txt"));
  await rm(join(folder, "below"), { recursive: true });
  await symlink(elsewhere, join(folder, "below"));
  const tried: string[] = [];
  for (const found of due)
    await watched.import(found, async (path) => {
      tried.push(path);
      await rm(path);
      await symlink(join(elsewhere, "two.txt"), path);
      return DONE;
    });
  expect(tried).toEqual([join(folder, "three.txt")]);
  expect(await readdir(elsewhere)).toEqual(["two.txt"]);
  expect(await readdir(join(folder, "imported"))).toEqual([]);
});

test("what can't be imported is reported once, and tried again when it changes", async () => {
  let readable = false;
  const { folder, tried, reported, lookTwice, write, restart } = await watch(() =>
    readable ? DONE : fail("Not valid."),
  );
  await write("bad.json");
  await write("picture.png");
  await symlink("/etc/hosts", join(folder, "link.txt"));
  await lookTwice();
  await restart();
  await lookTwice();
  expect(reported.map(({ file, failed }) => [file, failed[0]?.error])).toEqual([
    ["bad.json", "Not valid."],
    ["link.txt", expect.stringContaining("Symbolic links are not followed.")],
    ["picture.png", expect.stringContaining("Unknown format.")],
  ]);
  expect(tried).toEqual(["bad.json"]);
  readable = true;
  await write("bad.json", "longer than before");
  await lookTwice();
  expect(reported.at(-1)).toEqual({ file: "bad.json", ...DONE });
});

test("a file that changes after it was imported is reported once, and not imported again; a new one of its name is", async () => {
  const { folder, tried, reported, lookTwice, write } = await watch();
  await write("one.txt");
  await lookTwice();
  await write("one.txt", "Anna: Something else.");
  await lookTwice();
  await lookTwice();
  expect(reported.map(({ failed }) => failed.length)).toEqual([0, 1]);
  expect(reported[1]?.failed[0]?.error).toContain("changed after it was imported");
  await rm(join(folder, "one.txt"));
  await lookTwice();
  await write("one.txt", "Anna: A new one.");
  await lookTwice();
  expect(tried).toEqual(["one.txt", "one.txt"]);
});

test("hidden files, `readme` files and those that were moved are left alone", async () => {
  const { tried, lookTwice, write } = await watch();
  for (const file of [".hidden.txt", ".hidden/one.txt", "README.md", "~$one.docx", "imported/one.txt"])
    await write(file);
  await lookTwice();
  expect(tried).toEqual([]);
});

test("imported files are moved, and none is overwritten; one that failed stays", async () => {
  const { folder, reported, lookTwice, write } = await watch(
    (path) => (path.endsWith("bad.txt") ? fail("Bad.") : DONE),
    true,
  );
  for (const text of ["first", "second"]) {
    await write("calls/one.txt", text);
    await write("bad.txt");
    await lookTwice();
  }
  expect(reported.flatMap(({ moved }) => moved ?? [])).toEqual([
    "imported/calls/one.txt",
    "imported/calls/one (2).txt",
  ]);
  expect(await readFile(join(folder, "imported/calls/one.txt"), "utf8")).toBe("first");
  expect((await readdir(folder)).sort()).toEqual([STATE_FILE, "bad.txt", "calls", "imported"]);
});

test("nothing is written through a link that somebody put into the folder", async () => {
  const { folder, reported, lookTwice, write, restart } = await watch(undefined, true);
  const outside = await temporaryDir();
  await writeFile(join(outside, "kept.txt"), "kept");
  await symlink(outside, join(folder, "imported"));
  await symlink(join(outside, "kept.txt"), join(folder, `${STATE_FILE}.new`));
  await restart();
  await write("one.txt");
  await lookTwice();
  expect(reported[0]?.failed[0]?.error).toContain("symbolic link");
  await rm(join(folder, STATE_FILE));
  await symlink(join(outside, "kept.txt"), join(folder, STATE_FILE));
  await write("picture.png");
  await expect(lookTwice()).rejects.toThrow("ELOOP");
  expect(await readdir(outside)).toEqual(["kept.txt"]);
  expect(await readFile(join(outside, "kept.txt"), "utf8")).toBe("kept");
});

test("an import that a failing transcriber prevents is tried again later, and said once; after a restart at once", async () => {
  const { tried, reported, lookTwice, write, restart } = await watch(() => fail("Busy.", true));
  await write("call.mp3");
  await lookTwice();
  await lookTwice();
  expect([tried.length, reported.length]).toEqual([1, 1]);
  await restart();
  await lookTwice();
  expect(tried.length).toBe(2);
});

test("a state file that a kill cut off costs nothing but what was cut", async () => {
  const { folder, tried, lookTwice, write, restart } = await watch();
  for (const file of ["one.txt", "two.txt"]) await write(file);
  await lookTwice();
  const path = join(folder, STATE_FILE);
  await writeFile(path, (await readFile(path, "utf8")).slice(0, -20));
  await restart();
  await lookTwice();
  expect(tried).toEqual(["one.txt", "two.txt", "two.txt"]);
});

test("a file that is only touched is another file to the watch, and the import finds that it is there already", async () => {
  const { folder, tried, lookTwice, write } = await watch(() => fail("Bad."));
  await write("one.txt");
  await lookTwice();
  await utimes(join(folder, "one.txt"), 1, 1);
  await lookTwice();
  expect(tried).toEqual(["one.txt", "one.txt"]);
});
