// Runs document-thread.ts from the sources, because Node 20 runs no TypeScript. The bundle has the same file compiled.
import { register } from "tsx/esm/api";

register();
await import("./document-thread.ts");
