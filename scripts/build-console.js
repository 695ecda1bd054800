// Installs what the console's build needs, and builds the console where it is missing or older than its sources.
import { install } from "./install.js";

install("console");
await import("../apps/console/build.js");
