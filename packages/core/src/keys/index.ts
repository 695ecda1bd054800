export * from "./authenticate.js";
export * from "./manage.js";
export * from "./token.js";
