import { Worker } from "node:worker_threads";
import { renderMarkdown, renderVerbatim } from "./render-markdown.js";

/** A summary as it is stored. */
export interface RenderedSummary {
  readonly markdown: string;
  readonly html: string;
  /** One line. */
  readonly short: string;
}

/** Longest text, in UTF-16 units, that is rendered where requests are served: at worst some 50 ms. */
const LONGEST_INLINE = 4_096;

/** Longest text, in UTF-16 units, that is read as Markdown at all. A longer one is shown as it was written. */
const LONGEST_PARSED = 131_072;

/** Milliseconds after which rendering is given up, and the text is shown as it was written. */
const DEADLINE = 5_000;

/** Milliseconds without work after which the thread ends, to give its memory back. */
const IDLE = 30_000;

/**
 * Renders a summary's Markdown once, before any transaction: a short text here, a longer one in a worker thread, because
 * a hostile text of some 100 KB takes a second and would block all other requests. What takes too long, or is too long,
 * is shown as it was written.
 * @param summary `short`: the recorder's own line, which is kept.
 * @see docs/decisions/0095-summaries-are-rendered-in-a-thread.md
 */
export async function renderSummary(summary: {
  readonly markdown: string;
  readonly short?: string | undefined;
}): Promise<RenderedSummary> {
  const { markdown, short } = summary;
  const rendered = await render(markdown);
  return { markdown, html: rendered.html, short: short ?? rendered.short };
}

interface Rendered {
  readonly html: string;
  readonly short: string;
}

async function render(text: string): Promise<Rendered> {
  if (text.length <= LONGEST_INLINE) return renderMarkdown(text);
  if (text.length > LONGEST_PARSED) return renderVerbatim(text);
  return (await renderInThread(text)) ?? renderVerbatim(text);
}

/** The thread, while there is one. */
let thread: Worker | null = null;
let idle: NodeJS.Timeout | undefined;
/** Resolves when the texts before have been rendered: the thread takes one at a time, so that each has its own deadline. */
let queue: Promise<unknown> = Promise.resolve();

/** Resolves to null when the text could not be rendered in time. */
function renderInThread(text: string): Promise<Rendered | null> {
  const rendered = queue.then(() => renderNext(text));
  queue = rendered;
  return rendered;
}

function renderNext(text: string): Promise<Rendered | null> {
  clearTimeout(idle);
  const worker = thread ?? startThread();
  return new Promise((resolve) => {
    const settle = (rendered: Rendered | null) => {
      clearTimeout(deadline);
      worker.off("message", settle).off("error", fail).off("exit", fail);
      if (rendered === null) endThread(worker);
      else idle = setTimeout(() => endThread(worker), IDLE).unref();
      resolve(rendered);
    };
    const fail = () => settle(null);
    const deadline = setTimeout(fail, DEADLINE);
    worker.on("message", settle).on("error", fail).on("exit", fail);
    worker.postMessage(text);
  });
}

function startThread(): Worker {
  const worker = new Worker(new URL("./markdown-worker.js", import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  // The process may end while the thread waits. Rendering keeps it alive by its deadline.
  worker.unref();
  thread = worker;
  return worker;
}

function endThread(worker: Worker): void {
  if (thread === worker) thread = null;
  // Ends by itself when it was killed by its memory limit; an error event without a listener would end the process.
  worker.on("error", () => {});
  void worker.terminate();
}
