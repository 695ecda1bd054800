// Installs the console build's dependencies, and builds the console if it is missing or older than its sources.
import { installDuring } from "./install.js";

await installDuring("console", () => import("../apps/console/build.js"));
