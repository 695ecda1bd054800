export { type ToolAnswer, useEveryTool } from "./every-tool.js";
export * from "./hostile/inputs.js";
export * from "./hostile/storm.js";
export { prepare, RawApp, REDIRECT } from "./oauth/app.js";
export { callMcp, type SecureService, startSecureService } from "./oauth/service.js";
export { type ScriptedModel, startScriptedModel } from "./scripted-model.js";
export * from "./server.js";
export { compareCopy, isConnectionFault, type Reader, readPages } from "./sync-model/reader.js";
export { type ModelServer, runSyncModel } from "./sync-model/run.js";
