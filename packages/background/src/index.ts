export * from "./batch-queue.js";
export * from "./heartbeat.js";
export * from "./hourly.js";
export * from "./lease.js";
export * from "./loop.js";
export { askInPieces, type Piece } from "./pieces.js";
export * from "./run-in-batches.js";
export * from "./thread.js";
export { createWakeSignal } from "./wake-signal.js";
