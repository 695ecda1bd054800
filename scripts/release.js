// Builds, packs and publishes the client and the server.
//
//   pnpm release                      publishes the versions that the registry doesn't have yet
//   pnpm release --dry-run [folder]   packs both as they would be published, and publishes nothing; the folder is
//                                     ./pack unless it is named
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const dryRun = process.argv[2] === "--dry-run";
const folder = resolve((dryRun && process.argv[3]) || "pack");
const node = (...args) => execFileSync(process.execPath, args, { cwd: root, stdio: "inherit" });
const npm = (args, cwd) => execFileSync("npm", args, { cwd, encoding: "utf8", maxBuffer: 2 ** 26 });

const serverFolder = join(folder, "server");
const clientFolder = dryRun ? join(folder, "client") : join(root, "packages/client/dist");
node(join(root, "scripts/packaging/pack.js"), serverFolder);
node(join(root, "packages/client/build.js"), clientFolder);

const packages = [clientFolder, join(serverFolder, "package")].map((path) => ({
  path,
  manifest: JSON.parse(readFileSync(join(path, "package.json"), "utf8")),
}));

if (dryRun) {
  for (const { path, manifest } of packages) {
    const report = JSON.parse(npm(["publish", "--dry-run", "--json", "--ignore-scripts"], path));
    const { entryCount, size } = report[manifest.name] ?? report;
    const { repository, publishConfig } = manifest;
    const source = publishConfig?.provenance
      ? `with provenance of ${repository.url}`
      : "without provenance, outside of a pipeline";
    console.log(
      `${manifest.name}@${manifest.version}: ${entryCount} files, ${(size / 1e6).toFixed(2)} MB, ${source}`,
    );
  }
} else {
  // Publishes the client, and tags its version.
  execFileSync("pnpm", ["exec", "changeset", "publish"], { cwd: root, stdio: "inherit" });
  const [, { path, manifest }] = packages;
  if (!isPublished(manifest)) console.log(npm(["publish", "--ignore-scripts"], path));
}

/** Returns true if the registry has this version. */
function isPublished({ name, version }) {
  try {
    return npm(["view", `${name}@${version}`, "version"]).trim() === version;
  } catch {
    return false; // no version of it is published yet
  }
}
