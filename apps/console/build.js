// Builds the console into dist/ where that is missing or older than its sources.
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL(".", import.meta.url));
const page = `${root}dist/index.html`;

/** Returns when the newest of the sources was changed, in milliseconds. */
function newestSource() {
  const sources = ["src", "public"]
    .flatMap((folder) => readdirSync(`${root}${folder}`, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`);
  return Math.max(
    ...[`${root}index.html`, `${root}vite.config.ts`, ...sources].map((file) => statSync(file).mtimeMs),
  );
}

/** Removes builds that were interrupted more than an hour ago. */
function removeAbandonedBuilds() {
  for (const name of readdirSync(root)) {
    if (!name.startsWith(".build-")) continue;
    const { mtimeMs = Date.now() } = statSync(`${root}${name}`, { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs > 3_600_000) rmSync(`${root}${name}`, { recursive: true, force: true });
  }
}

const isStale = () => !existsSync(page) || statSync(page).mtimeMs < newestSource();

if (isStale()) {
  // Built aside and put in place at once, so that a server that runs meanwhile never serves half a build.
  // React's development build is twice as large; vite takes it when the environment says so, as tests do.
  process.env.NODE_ENV = "production";
  const { build } = await import("vite");
  removeAbandonedBuilds();
  const aside = mkdtempSync(`${root}.build-`);
  try {
    await build({ root, logLevel: "warn", build: { outDir: aside, emptyOutDir: true } });
    // A build that another process has put in place meanwhile stays: its server reads it.
    if (isStale()) {
      // Another process may put its build there at any moment: what is moved away is always whole.
      if (existsSync(`${root}dist`)) renameSync(`${root}dist`, `${aside}-old`);
      renameSync(aside, `${root}dist`);
    }
  } catch (error) {
    // Another process was faster by less than that check.
    if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes(error.code)) throw error;
  } finally {
    for (const folder of [aside, `${aside}-old`]) rmSync(folder, { recursive: true, force: true });
  }
}
