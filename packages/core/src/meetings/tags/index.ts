export * from "./list.js";
export * from "./manage.js";
export { requireTagOwner } from "./owner.js";
