import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { publint } from "publint";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ClientPackage, packClient } from "../support/client-package.js";
import { run, toRepositoryPath } from "../support/run.js";

let client: ClientPackage;
beforeAll(async () => {
  client = await packClient();
});
afterAll(() => client.remove());

/** Size of a built file in bytes, gzipped: as built, and minified by a bundler. */
async function sizesOf(file: string): Promise<{ asBuilt: number; minified: number }> {
  const path = join(client.folder, file);
  const { outputFiles } = await build({
    entryPoints: [path],
    bundle: true,
    external: ["@trpc/*", "node:*"],
    format: "esm",
    minify: true,
    write: false,
  });
  const [bundle] = outputFiles;
  return {
    asBuilt: gzipSync(await readFile(path)).length,
    minified: gzipSync(bundle?.contents ?? new Uint8Array()).length,
  };
}

test("the client is smaller than 8 KB gzipped, its dependencies external", async () => {
  const sizes = await sizesOf("index.js");
  console.log("client, gzipped bytes:", sizes);
  expect(sizes.asBuilt).toBeLessThan(8 * 1024);
});

test("it depends on nothing but @trpc/*", async () => {
  const manifest = JSON.parse(await readFile(join(client.folder, "package.json"), "utf8"));
  expect(Object.keys(manifest.dependencies)).toEqual(["@trpc/client", "@trpc/server"]);
  for (const file of ["index", "recordings", "webhooks"].flatMap((name) =>
    ["js", "cjs", "d.ts", "d.cts"].map((end) => `${name}.${end}`),
  )) {
    const text = await readFile(join(client.folder, file), "utf8");
    const imported = [...text.matchAll(/(?:from\s+|require\()['"]([^'"]+)['"]/g)].map(([, name]) => name);
    expect(imported.filter((name) => !/^@trpc\/(client|server)/.test(name ?? ""))).toEqual([]);
  }
});

test("the program imports the client and Node.js, and has no copy of either", async () => {
  const text = await readFile(join(client.folder, "bin.js"), "utf8");
  const imported = [...text.matchAll(/^import .* from '([^']+)';$/gm)].map(([, name]) => name ?? "");
  expect(imported).toContain("./index.js");
  expect(imported.filter((name) => name !== "./index.js" && !name.startsWith("node:"))).toEqual([]);
  expect(text).toMatch(/^#!\/usr\/bin\/env node\n/);
  expect(gzipSync(text).length).toBeLessThan(8 * 1024);
});

test("the packed README has no links that lead nowhere on npm", async () => {
  const text = await readFile(join(client.folder, "README.md"), "utf8");
  const targets = [...text.matchAll(/\]\(([^)]*)\)/g)].map(([, target = ""]) => target);
  expect(targets.filter((target) => !/^(?:https:|#)/.test(target))).toEqual([]);
});

test("publint finds nothing", async () => {
  const { messages } = await publint({ pkgDir: client.folder, strict: true, pack: "npm" });
  expect(messages).toEqual([]);
});

test("attw finds no problem in the types", async () => {
  await run("node", [
    toRepositoryPath("acceptance/node_modules/@arethetypeswrong/cli/dist/index.js"),
    client.tarball,
  ]);
});

test("npm publish --dry-run succeeds without a warning", async () => {
  await run("npm", ["publish", "--dry-run", "--loglevel=error"], { cwd: client.folder });
});

test("built by a pipeline it names the pipeline's repository, and asks npm to attest it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "minutes-manifest-"));
  try {
    await cp(client.folder, folder, { recursive: true });
    const build = JSON.stringify(pathToFileURL(toRepositoryPath("packages/client/build.js")).href);
    const write = `await (await import(${build})).writeManifest(${JSON.stringify(folder)})`;
    await run("node", ["--input-type=module", "--eval", write], {
      env: { GITHUB_SERVER_URL: "https://github.com", GITHUB_REPOSITORY: "example/minutes" },
    });
    const { repository, publishConfig } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    expect(repository).toEqual({
      type: "git",
      url: "git+https://github.com/example/minutes.git",
      directory: "packages/client",
    });
    expect(publishConfig).toEqual({ access: "public", provenance: true });
    await run("npm", ["publish", "--dry-run", "--loglevel=error"], { cwd: folder });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("pnpm release --dry-run packs client and server with provenance", async () => {
  const folder = await mkdtemp(join(tmpdir(), "minutes-release-"));
  try {
    const output = await run("node", [toRepositoryPath("scripts/release.js"), "--dry-run", folder], {
      env: { GITHUB_SERVER_URL: "https://github.com", GITHUB_REPOSITORY: "example/minutes" },
    });
    for (const name of ["client", "server"])
      expect(output).toMatch(
        new RegExp(
          `^@minutes/${name}@\\S+: \\d+ files, [\\d.]+ MB, with provenance of git\\+https://github`,
          "m",
        ),
      );
    const server = join(folder, "server/package");
    const { messages } = await publint({ pkgDir: server, strict: true, pack: "npm" });
    expect(messages).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
