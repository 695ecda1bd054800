import { writeFile } from "node:fs/promises";
import { routerTypes } from "@minutes/reference";

await writeFile(new URL("../src/routers.ts", import.meta.url), routerTypes());
