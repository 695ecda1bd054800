import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeEventTypes, writeRouterTypes } from "@minutes/reference";

/** Writes the published types, which replace src/routers.ts and src/events.ts, into the given folder. */
const [folder] = process.argv.slice(2);
if (!folder) throw new Error("Usage: tsx scripts/generate.ts <folder>");
await mkdir(folder, { recursive: true });
await writeFile(join(folder, "routers.ts"), writeRouterTypes());
await writeFile(join(folder, "events.ts"), writeEventTypes());
