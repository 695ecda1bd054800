import { beforeAll, expect, test } from "vitest";
import { collectPackage, countBytes } from "../apps/server/packaging/collect.js";

let collected: Awaited<ReturnType<typeof collectPackage>>;
beforeAll(async () => {
  collected = await collectPackage(null);
});

const readManifest = (path: string) => {
  const file = collected.files.get(path);
  if (!file || !("content" in file)) throw new Error(`The package has no ${path}.`);
  return JSON.parse(String(file.content));
};

test("the package of the server has nothing to install: every dependency is in it, in the version that is named", () => {
  const { dependencies, bundleDependencies } = readManifest("package.json");
  expect(bundleDependencies).toEqual(Object.keys(dependencies));
  const manifests = [...collected.files.keys()].filter((path) => /node_modules\/.*package\.json$/.test(path));
  const shipped = manifests.filter((path) =>
    collected.installed.some(({ target }) => path === `${target}/package.json`),
  );
  for (const path of ["package.json", ...shipped]) {
    const wanted = readManifest(path).dependencies as Record<string, string>;
    for (const [name, version] of Object.entries(wanted)) {
      const nested = path.replace("package.json", `node_modules/${name}/package.json`);
      const found = collected.files.has(nested) ? nested : `node_modules/${name}/package.json`;
      expect([path, name, readManifest(found).version]).toEqual([path, name, version]);
    }
  }
});

test("it has at most 40 packages of npm beside its scripts, and 75 MB without the console", () => {
  expect(collected.installed.length).toBeLessThanOrEqual(40);
  expect(countBytes(collected.files)).toBeLessThan(75e6);
});

test("it has every migration, and no tests, sources, types or maps", () => {
  const paths = [...collected.files.keys()];
  expect(paths).toContain("node_modules/@minutes/db/migrations/0000_first.sql");
  expect(paths).toContain("server/dist/markdown-worker.js");
  expect(paths.filter((path) => /\.(map|ts)$|\.test\./.test(path))).toEqual([]);
});

test("its messages name commands as they are written without a workspace", () => {
  for (const [path, file] of collected.files)
    if (path.startsWith("server/dist/") && "content" in file)
      expect([path, String(file.content).includes("pnpm minutes")]).toEqual([path, false]);
});
