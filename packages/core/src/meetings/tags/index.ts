export * from "./list.js";
export * from "./manage.js";
