export { type ActingAs, createActAs } from "./act-as.js";
