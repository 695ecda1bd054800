import { execFileSync } from "node:child_process";
import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import { readProvenance } from "../../scripts/packaging/provenance.js";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const manifest = JSON.parse(await readFile(here("package.json"), "utf8"));

/** Each export has an entry of the same name: "." is src/index.ts, "./webhooks" is src/webhooks.ts. */
const entries = Object.fromEntries(
  Object.values(manifest.exports).map((source) => [source.replace(/^\.\/src\/|\.ts$/g, ""), here(source)]),
);

const external = (id) => !/^[./]/.test(id) || id.startsWith("node:");

/** Resolves imports between sources, which name the built file: `./errors.js`. */
const typescript = {
  name: "typescript",
  resolveId: (id, importer) =>
    importer && id.startsWith(".") && id.endsWith(".js")
      ? fileURLToPath(new URL(id.replace(/\.js$/, ".ts"), `file://${importer}`))
      : null,
  transform: async (code, id) =>
    id.endsWith(".ts") ? transform(code, { loader: "ts", target: "es2022", sourcemap: true }) : null,
};

/** Builds the program, which imports the built client, so that neither has a copy of the other's code. */
async function buildProgram(out) {
  const client = here("src/index.ts");
  const code = await rollup({
    input: here("src/bin.ts"),
    external: (id) => id === client || external(id),
    plugins: [typescript],
  });
  const file = `${out}/bin.js`;
  const banner = "#!/usr/bin/env node";
  await code.write({ file, banner, format: "esm", sourcemap: true, paths: { [client]: "./index.js" } });
  await code.close();
  await chmod(file, 0o755);
}

/**
 * Generates the types of the routers and events (docs/decisions/0060-generated-reference.md). They are written below
 * node_modules, where their imports resolve and other tools don't look.
 */
const generated = here(`node_modules/.generated-${process.pid}`);
const generate = () =>
  execFileSync(process.execPath, ["--import", "tsx", here("scripts/generate.ts"), generated], {
    cwd: here("."),
    stdio: "inherit",
  });

/** Replaces the workspace's own types with the generated ones. */
const generatedTypes = {
  name: "generated-types",
  resolveId: (id) => (/^\.\/(routers|events)\.js$/.test(id) ? `${generated}/${id.slice(2, -3)}.ts` : null),
};

/** Writes the published manifest: it lists the built files and leaves out everything specific to the workspace. */
export async function writeManifest(out) {
  const { devDependencies, scripts, private: _, exports: sources, publishConfig, ...kept } = manifest;
  const { directory, linkDirectory, bin, ...publish } = publishConfig;
  const built = Object.entries(sources).map(([path, source]) => {
    const name = source.replace(/^\.\/src\/|\.ts$/g, "");
    const side = (types, file) => ({ types: `./${name}.${types}`, default: `./${name}.${file}` });
    return [path, { import: side("d.ts", "js"), require: side("d.cts", "cjs") }];
  });
  const from = readProvenance("packages/client");
  const published = {
    ...kept,
    ...from,
    main: "./index.cjs",
    module: "./index.js",
    types: "./index.d.ts",
    bin,
    exports: { ...Object.fromEntries(built), "./package.json": "./package.json" },
    publishConfig: { ...publish, ...(from && { provenance: true }) },
  };
  await writeFile(`${out}/package.json`, `${JSON.stringify(published, null, 2)}\n`);
}

/** Builds the package as published, by default into `dist`. */
export async function build(out = here("dist")) {
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });

  await buildProgram(out);

  generate();
  // One entry at a time, so that importing one loads one file: what entries share is small, and is in each.
  for (const [name, input] of Object.entries(entries)) {
    const code = await rollup({ input, external, plugins: [typescript] });
    const common = { sourcemap: true, sourcemapExcludeSources: false };
    await code.write({ ...common, file: `${out}/${name}.js`, format: "esm" });
    await code.write({ ...common, file: `${out}/${name}.cjs`, format: "cjs" });
    await code.close();
    const types = await rollup({
      input,
      external,
      plugins: [generatedTypes, dts({ tsconfig: here("../../tsconfig.json") })],
    });
    await types.write({ file: `${out}/${name}.d.ts`, format: "esm" });
    await types.close();
    await cp(`${out}/${name}.d.ts`, `${out}/${name}.d.cts`);
  }

  await rm(generated, { recursive: true });

  await writeManifest(out);
  const texts = (await readdir(here("."))).filter((name) => /^(README|CHANGELOG)\.md$/.test(name));
  for (const name of texts) await cp(here(name), `${out}/${name}`);
  await cp(here("../../LICENSE"), `${out}/LICENSE`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build(process.argv[2]);
