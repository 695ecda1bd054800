export * from "./vocabulary.js";
