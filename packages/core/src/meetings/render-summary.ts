import { Thread } from "@minutes/background";
import type { SummaryOrigin } from "@minutes/contract";
import { renderMarkdown, renderVerbatim } from "./render-markdown.js";

/** A stored summary. */
export interface RenderedSummary {
  readonly markdown: string;
  readonly html: string;
  /** One line. */
  readonly short: string;
  /** As JSON, what a model wrote it with; null if others wrote it, or nothing was asked for. */
  readonly origin: string | null;
}

/** Maximum length of text rendered on the main thread, in UTF-16 units: at worst some 50 ms. */
const LONGEST_INLINE = 4_096;

/** Maximum length of text parsed as Markdown, in UTF-16 units. A longer one is shown as written. */
const LONGEST_PARSED = 131_072;

/** Timeout of rendering in ms, after which the text is shown as written. */
const DEADLINE = 5_000;

/**
 * Renders a summary's Markdown once, before any transaction: a short text on the main thread, a longer one in a worker
 * thread, because a hostile text of some 100 KB takes a second and would block all other requests. Text that is too
 * long, or takes too long, is shown as written.
 * @param summary `short` is the recorder's own line, which is kept
 * @see docs/decisions/0246-parsing-threads.md
 */
export async function renderSummary(summary: {
  readonly markdown: string;
  readonly short?: string | undefined;
  readonly origin?: SummaryOrigin | null | undefined;
}): Promise<RenderedSummary> {
  const { markdown, short, origin } = summary;
  const rendered = await render(markdown);
  return {
    markdown,
    html: rendered.html,
    short: short ?? rendered.short,
    origin: origin ? JSON.stringify(origin) : null,
  };
}

interface Rendered {
  readonly html: string;
  readonly short: string;
}

async function render(text: string): Promise<Rendered> {
  if (text.length <= LONGEST_INLINE) return renderMarkdown(text);
  if (text.length > LONGEST_PARSED) return renderVerbatim(text);
  return thread.use((ask) => ask(text)).catch(() => renderVerbatim(text));
}

const thread = new Thread<string, Rendered>({
  file: new URL("./markdown-worker.js", import.meta.url),
  deadline: DEADLINE,
  memory: 256,
});
