// Installs the console build's dependencies, and builds the console if it is missing or older than its sources.
import { install } from "./install.js";

await install("console", () => import("../apps/console/build.js"));
