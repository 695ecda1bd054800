export * from "./credits.js";
export * from "./plan.js";
export * from "./too-short.js";
export * from "./unlock.js";
