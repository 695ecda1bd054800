import { cp, mkdir, rename, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build as bundle, stop } from "esbuild";
import { removeEarlierBuilds } from "./earlier-builds.js";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
/** Packages that read files beside their own, or start threads from them; they stay in node_modules. */
const EXTERNAL = [
  "@electric-sql/*",
  "@energetic-ai/*",
  "@opentelemetry/*",
  "esbuild",
  "pino",
  "swagger-ui-dist",
];

/** Lets packages in CommonJS, which call `require` for what Node.js brings, run inside a module. */
const REQUIRE =
  'import { createRequire as createBundleRequire } from "node:module";\nconst require = createBundleRequire(import.meta.url);';

/**
 * Bundles the server, the workspace's packages and most packages from npm: reading a dozen files takes half the time of
 * reading 700. Writes nothing. The result also says from which files each output was made.
 */
export async function bundleServer() {
  const result = await bundle({
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
    metafile: true,
    external: EXTERNAL,
    banner: { js: REQUIRE },
  });
  await stop(); // esbuild's own process, which would stay as long as this one
  return result;
}

/** Files and folders that the bundle reads, by their names beside it. */
export const ASSETS = {
  sample: here("src/demo/sample"),
  "builtin-worker.js": here("src/builtin-worker.js"),
  encoder: here("src/encoder"),
  wordnet: here("../../packages/search/src/wordnet"),
  "import-sample.json": here("src/import/import-sample.json"),
};

/**
 * Writes the bundle into dist. Files are written aside and renamed, so that a command that runs meanwhile never loads half
 * a bundle.
 */
export async function build() {
  const { outputFiles } = await bundleServer();
  await mkdir(here("dist"), { recursive: true });
  for (const [name, source] of Object.entries(ASSETS))
    await cp(source, here(`dist/${name}`), { recursive: true });
  for (const { path, contents } of outputFiles.sort((a, b) => b.path.localeCompare(a.path))) {
    const aside = `${path}.${process.pid}`;
    await writeFile(aside, contents);
    await rename(aside, path);
  }
  await removeEarlierBuilds(here("dist"), [
    "builtin-worker.js",
    ...outputFiles.map(({ path }) => basename(path)),
  ]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
