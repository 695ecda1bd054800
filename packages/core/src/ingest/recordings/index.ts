export * from "./expiry.js";
export * from "./unfinished.js";
