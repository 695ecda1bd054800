import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { eventTypes, routerTypes } from "@minutes/reference";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const files = { [here("../src/routers.ts")]: routerTypes(), [here("../src/events.ts")]: eventTypes() };
for (const [file, source] of Object.entries(files)) await writeFile(file, source);
execFileSync(here("../../../node_modules/.bin/biome"), ["format", "--write", ...Object.keys(files)], {
  stdio: "inherit",
});
