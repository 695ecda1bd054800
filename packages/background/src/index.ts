export * from "./batch-queue.js";
export * from "./lease.js";
export { limitTime } from "./limit-time.js";
export * from "./loop.js";
export { askInPieces, type Piece } from "./pieces.js";
export * from "./run-in-batches.js";
export * from "./thread.js";
export { createWakeSignal } from "./wake-signal.js";
