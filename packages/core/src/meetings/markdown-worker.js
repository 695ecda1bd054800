// @ts-check
// Runs in a worker thread (render-summary.ts): renders each text that it is sent, and answers in the same order.
import { parentPort } from "node:worker_threads";
import { renderMarkdown } from "./render-markdown.js";

parentPort?.on("message", (/** @type {string} */ text) => parentPort?.postMessage(renderMarkdown(text)));
