export * from "./credits.js";
export * from "./plan.js";
export * from "./unlock.js";
