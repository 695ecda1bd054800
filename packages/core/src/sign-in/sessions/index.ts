export * from "./authenticate.js";
export * from "./create.js";
export * from "./manage.js";
