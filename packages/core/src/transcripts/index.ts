export * from "./captions.js";
export * from "./plain.js";
export * from "./turns.js";
export * from "./write.js";
