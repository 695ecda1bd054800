export { chooseInstruction, toOrigin } from "./choose.js";
export * from "./instructions.js";
