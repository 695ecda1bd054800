// Packs the server: one tarball that runs on a machine with nothing but Node.js.
//
//   pnpm pack:server [folder]     writes the package's files into <folder>/package and the tarball into <folder>;
//                                 the folder is ./pack unless it is named
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { findForbiddenLicences } from "./bill-of-materials.js";
import { collectPackage, countBytes } from "./collect.js";

const CONSOLE = fileURLToPath(new URL("../../apps/console/", import.meta.url));
const folder = resolve(process.argv[2] ?? "pack");
const root = join(folder, "package");

execFileSync(process.execPath, [join(CONSOLE, "build.js")], { stdio: "inherit" });
const { files, installed, packages } = await collectPackage(join(CONSOLE, "dist"));
const forbidden = findForbiddenLicences(packages);
if (forbidden.length > 0) {
  for (const { name, version, licence } of forbidden)
    console.error(`${name} ${version} may not be shipped: its licence is ${licence ?? "unknown"}.`);
  process.exit(1);
}

rmSync(folder, { recursive: true, force: true });
for (const [path, file] of files) {
  const target = join(root, path);
  mkdirSync(dirname(target), { recursive: true });
  if ("source" in file) copyFileSync(file.source, target);
  else writeFileSync(target, file.content, { mode: path.includes("/bin/") ? 0o755 : 0o644 });
}
execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder], {
  cwd: root,
  stdio: ["ignore", "ignore", "inherit"],
});
const [tarball = ""] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));

const toMegabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
console.log(`${join(folder, tarball)}: ${toMegabytes(statSync(join(folder, tarball)).size)}`);
console.log(
  `${files.size} files, ${toMegabytes(countBytes(files))}; ${packages.length} packages of npm in it, ${installed.length} of them ` +
    "beside the scripts; none to install",
);
