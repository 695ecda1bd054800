export * from "./quota.js";
