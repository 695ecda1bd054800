import { cp, mkdir, rename, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build as bundle, stop } from "esbuild";
import { removeEarlierBuilds } from "./earlier-builds.js";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
/** Packages that read files next to their own, or start threads from them. They stay in node_modules. */
const EXTERNAL = ["@electric-sql/*", "@opentelemetry/*", "esbuild", "pino", "swagger-ui-dist"];

/** Lets CommonJS packages `require` Node.js modules inside an ES module. */
const REQUIRE =
  'import { createRequire as createBundleRequire } from "node:module";\nconst require = createBundleRequire(import.meta.url);';

/**
 * Bundles the server, the workspace's packages and most npm packages: reading a dozen files takes half the time of
 * reading 700. Writes nothing. The result also lists the sources of each output.
 */
export async function bundleServer() {
  const result = await bundle({
    absWorkingDir: here("."),
    entryPoints: {
      main: "src/main.ts",
      // Worker threads load these by path, so they are separate files next to main.js.
      "markdown-worker": "../../packages/core/src/meetings/markdown-worker.js",
      "body-worker": "../../packages/core/src/api/body-thread.ts",
      "calendar-worker": "../../packages/core/src/calendar/parse-thread.ts",
      "document-worker": "src/operations/import/document-thread.ts",
      "builtin-worker": "src/search/builtin-worker.js",
      "whisper-process": "src/operations/transcriber/whisper-process.js",
    },
    outdir: "dist",
    bundle: true,
    splitting: true, // dynamic imports are loaded only when needed
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
  await stop(); // esbuild's own process, which would outlive this one
  return result;
}

/** Files and folders read by the bundle, by their names next to it. */
export const ASSETS = {
  sample: here("src/demo/sample"),
  "multiply.wasm": here("../../packages/encoder/src/multiply.wasm"),
  wordnet: here("../../packages/search/src/wordnet"),
  "import-sample.json": here("src/operations/import/import-sample.json"),
};

/**
 * Writes the bundle into dist. Files are written under a temporary name and renamed, so that a concurrent command never
 * loads half a bundle.
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
  await removeEarlierBuilds(
    here("dist"),
    outputFiles.map(({ path }) => basename(path)),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
