// Starts parse-thread.ts from the sources: Node 20 runs no TypeScript by itself. The bundle has the same file ready to run.
import { register } from "tsx/esm/api";

register();
await import("./parse-thread.ts");
