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
 * Bundles the server, the workspace's packages and most packages from npm into dist/main.js: reading a dozen files takes
 * half the time of reading 700.
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
    external: EXTERNAL,
    banner: { js: REQUIRE },
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
  await removeEarlierBuilds(here("dist"), [
    "builtin-worker.js",
    ...outputFiles.map(({ path }) => basename(path)),
  ]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
