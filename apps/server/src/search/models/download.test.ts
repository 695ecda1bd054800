import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { temporaryDir } from "../../testing/process.js";
import type { DownloadableModel } from "./catalogue.js";
import { downloadModel, isInstalled } from "./download.js";

const FILES: Readonly<Record<string, string>> = {
  "config.json": "{}",
  "onnx/model.onnx": "weights".repeat(9_999),
};
const MODEL: DownloadableModel = {
  name: "tiny",
  languages: "English",
  licence: "MIT",
  repository: "someone/tiny",
  revision: "abc",
  files: Object.entries(FILES).map(([path, text]) => ({
    path,
    bytes: text.length,
    sha256: createHash("sha256").update(text).digest("hex"),
  })),
  prefixes: { query: "", chunk: "" },
};

let mirror: Server;
let address: string;
let requests: string[] = [];
let served = FILES;
beforeAll(async () => {
  mirror = createServer((request, response) => {
    requests.push(request.url ?? "");
    const text = served[(request.url ?? "").replace("/models/someone/tiny/resolve/abc/", "")];
    if (text === "cut")
      response.writeHead(200, { "content-length": 99 }).write("c", () => response.destroy());
    else if (text === undefined) response.writeHead(404).end();
    else response.end(text);
  });
  await new Promise<void>((done) => mirror.listen(0, "127.0.0.1", done));
  address = `http://127.0.0.1:${(mirror.address() as AddressInfo).port}/models`;
});
afterAll(() => void mirror.close());
beforeEach(() => {
  requests = [];
  served = FILES;
});

test("downloads the files with progress, and only those that are missing or changed", async () => {
  const models = await temporaryDir();
  expect(await isInstalled(models, MODEL)).toBe(false);
  const progress: number[] = [];
  await downloadModel(models, MODEL, { mirror: address, onProgress: (bytes) => progress.push(bytes) });
  expect(await isInstalled(models, MODEL)).toBe(true);
  expect(await readFile(join(models, "tiny/onnx/model.onnx"), "utf8")).toBe(FILES["onnx/model.onnx"]);
  expect(progress.at(-1)).toBe(2 + 69_993);
  expect(progress).toEqual(progress.toSorted((left, right) => left - right));

  await writeFile(join(models, "tiny/config.json"), "[]");
  requests = [];
  await downloadModel(models, MODEL, { mirror: address });
  expect(requests).toEqual(["/models/someone/tiny/resolve/abc/config.json"]);
});

test.each([
  ["sends another content", "xeights".repeat(9_999), /wrong checksum/],
  ["sends more than the file", "weights".repeat(20_000), /wrong checksum/],
  ["breaks off", "cut", /interrupted/],
  ["has no such file", undefined, /answered 404 for onnx\/model.onnx/],
])("a mirror that %s leaves no file of that name", async (_, content, message) => {
  const models = await temporaryDir();
  const { "onnx/model.onnx": _weights, ...others } = FILES;
  served = content === undefined ? others : { ...others, "onnx/model.onnx": content };
  await expect(downloadModel(models, MODEL, { mirror: address })).rejects.toThrow(message);
  const left = await readdir(join(models, "tiny"), { recursive: true });
  expect(left.filter((name) => name !== "onnx")).toEqual(["config.json"]);
});

test("an unreachable mirror is named, with its setting", async () => {
  const fetch = async () => Promise.reject(new TypeError("fetch failed"));
  await expect(
    downloadModel(await temporaryDir(), MODEL, { mirror: "http://mirror.invalid/x", fetch }),
  ).rejects.toThrow(
    "The mirror http://mirror.invalid can't be reached. Set EMBEDDINGS_MIRROR to use another one.",
  );
});
