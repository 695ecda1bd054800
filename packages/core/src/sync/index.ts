export { purgeSync } from "./cursor.js";
export { measureFeedDelay } from "./delay.js";
export * from "./router.js";
export { ChangeSignal } from "./signal.js";
export type { WaitOptions } from "./wait.js";
