import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { routerTypes } from "@minutes/reference";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const file = here("../src/routers.ts");
await writeFile(file, routerTypes());
execFileSync(here("../../../node_modules/.bin/biome"), ["format", "--write", file], { stdio: "inherit" });
