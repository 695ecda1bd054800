#!/usr/bin/env node
// `minutes <command>`: runs the bundle, and builds it first if it is missing or older than its sources.
import { existsSync, readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const sources = [
  "../src",
  ...["background", "client", "contract", "core", "db", "reference", "search", "transcripts"].map(
    (name) => `../../../packages/${name}/src`,
  ),
];
const built = modified(here("../dist/main.js"));
const present = sources.filter((folder) => existsSync(here(folder))); // none if only the bundle was copied
const stale = present.some((folder) =>
  readdirSync(here(folder), { recursive: true }).some((name) => modified(`${here(folder)}/${name}`) > built),
);
if (stale) await (await import("../build.js")).build();

await import(here("../dist/main.js"));
