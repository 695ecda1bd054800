export * from "./captions.js";
export * from "./file-name.js";
export * from "./json.js";
export * from "./text/read-text.js";
export * from "./transcript.js";
export * from "./write.js";
