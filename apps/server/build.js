import { cp, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build as bundle, stop } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const manifest = JSON.parse(await readFile(here("package.json"), "utf8"));
const workspacePackages = Object.keys(manifest.dependencies).filter((name) => name.startsWith("@minutes/"));

/**
 * Bundles the server and the workspace's packages into dist/main.js; what comes from npm stays in node_modules.
 * Files are written aside and renamed, so that a command that runs meanwhile never loads half a bundle.
 */
export async function build() {
  const { outputFiles } = await bundle({
    absWorkingDir: here("."),
    entryPoints: {
      main: "src/main.ts",
      // Loaded by its path from a worker thread, so it is a file of its own beside main.js.
      "markdown-worker": "../../packages/core/src/meetings/markdown-worker.js",
    },
    outdir: "dist",
    bundle: true,
    splitting: true, // what is imported by import() is loaded only when it is needed
    platform: "node",
    format: "esm",
    target: "node20",
    sourcemap: true,
    sourcesContent: false,
    write: false,
    plugins: [{ name: "npm-stays-outside", setup: keepNpmOutside }],
  });
  await stop(); // esbuild's own process, which would stay as long as this one
  await mkdir(here("dist"), { recursive: true });
  await cp(here("src/demo/sample"), here("dist/sample"), { recursive: true });
  await cp(here("src/builtin-worker.js"), here("dist/builtin-worker.js"));
  await cp(here("../../packages/search/src/wordnet"), here("dist/wordnet"), { recursive: true });
  await cp(here("src/import/import-sample.json"), here("dist/import-sample.json"));
  for (const { path, contents } of outputFiles.sort((a, b) => b.path.localeCompare(a.path))) {
    const aside = `${path}.${process.pid}`;
    await writeFile(aside, contents);
    await rename(aside, path);
  }
}

function keepNpmOutside({ onResolve }) {
  onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
    const ours = workspacePackages.some((name) => path === name || path.startsWith(`${name}/`));
    return kind === "entry-point" || ours ? undefined : { path, external: true };
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
