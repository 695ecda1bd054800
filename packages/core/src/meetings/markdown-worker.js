// @ts-check
// Runs in a worker thread (render-summary.ts). Renders each text it receives, and answers in order.
import { parentPort } from "node:worker_threads";
import { renderMarkdown } from "./render-markdown.js";

parentPort?.on("message", (/** @type {string} */ text) => parentPort?.postMessage(renderMarkdown(text)));
