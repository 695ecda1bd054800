export * from "./authenticate.js";
export * from "./token.js";
