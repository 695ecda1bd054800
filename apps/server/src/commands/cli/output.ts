import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { UsageError } from "./exit.js";

/** Options of every command. */
export interface CommonOptions {
  readonly json?: true;
}

/**
 * Escapes control characters as JSON does. Names come from users, and their control characters could control the
 * terminal or forge a line.
 */
const escapeControls = (text: string): string =>
  text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/**
 * Prints a command's result: one JSON document with `--json`, otherwise `text` in lines, and `notes` on stderr, so that
 * results can be piped.
 */
export function print(
  options: CommonOptions,
  result: unknown,
  text: readonly string[],
  notes: readonly string[] = [],
): void {
  const lines = options.json ? JSON.stringify(result, null, 2).split("\n") : text;
  const shown = lines.map(escapeControls).join("\n");
  if (shown !== "") process.stdout.write(`${shown}\n`);
  if (!options.json) notes.forEach(note);
}

/** Prints one of several results as it comes: a line of JSON with `--json`, otherwise `text`. */
export const printLine = (options: CommonOptions, result: unknown, text: string): void =>
  void process.stdout.write(`${escapeControls(options.json ? JSON.stringify(result) : text)}\n`);

/** Prints rows: as JSON with `--json`, otherwise as a table. */
export const printTable = <Row>(options: CommonOptions, rows: readonly Row[], columns: Columns<Row>): void =>
  print(options, rows, formatTable(rows, columns));

/** Prints the result of a command without output: the result with `--json`, otherwise one sentence as a note. */
export const printDone = (options: CommonOptions, result: unknown, sentence: string): void =>
  print(options, result, [], [sentence]);

/** Writes a note to stderr, so that results can be piped. */
export const note = (text: string): void => void process.stderr.write(`${escapeControls(text)}\n`);

/** Receives the progress of long work. */
export interface Progress {
  /** Increments the count. */
  increment(): void;
  /** Sets the count, or values for placeholders in the description. */
  update(state: number | object): void;
  /** Sets the number of units once it is known. */
  setTotal(total: number): void;
}

/** Interval between progress lines if stderr is not a terminal, in ms. */
const LINE_PAUSE = 5_000;

/**
 * Shows the progress of long work and the remaining time on stderr: a progress bar on a terminal, otherwise occasional
 * lines. `what` is the unit, and can have placeholders such as `{meetings}` for `values`. `pause` is the interval between
 * lines in ms. A total of null is set later.
 */
export async function withProgress<Result>(
  total: number | null,
  what: string,
  work: (progress: Progress) => Promise<Result>,
  { values = {}, pause = LINE_PAUSE }: { values?: object; pause?: number } = {},
): Promise<Result> {
  if (total === 0 || !process.stderr.isTTY) return work(new ProgressLines(total ?? 0, what, values, pause));
  // Loaded only here: most commands show no bar.
  const { Presets, SingleBar } = (await import("cli-progress")).default;
  const format = `{bar} {value}/{total} ${what}, {eta_formatted} left`;
  const bar = new SingleBar(
    // Long work such as calls within a rate limit comes in bursts, so the remaining time needs a long look back.
    { format, stream: process.stderr, clearOnComplete: true, etaBuffer: 1_000 },
    Presets.shades_classic,
  );
  bar.start(total ?? 0, 0, values);
  try {
    return await work(bar);
  } finally {
    bar.stop(); // its timer would keep a failed process alive
  }
}

/** Formats a duration in ms, rounded up: `40 s`, `12 min`, `3 h 5 min`. */
function formatDuration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Share that is done before the remaining time is estimated: the first units take longest. */
const LEAST_DONE = 0.05;

class ProgressLines implements Progress {
  #done = 0;
  #values: Readonly<Record<string, unknown>>;
  readonly #started = performance.now();
  #noted = this.#started;

  constructor(
    private total: number,
    private readonly what: string,
    values: object,
    private readonly pause: number,
  ) {
    this.#values = { ...values };
  }

  increment(): void {
    this.update(this.#done + 1);
  }

  update(state: number | object): void {
    if (typeof state === "number") this.#done = state;
    else this.#values = { ...this.#values, ...state };
    if (performance.now() - this.#noted < this.pause) return;
    this.#noted = performance.now();
    const what = this.what.replace(/\{(\w+)\}/g, (_, name: string) => String(this.#values[name]));
    note(`${this.#done} of ${this.total} ${what}${this.#describeLeft()}`);
  }

  setTotal(total: number): void {
    this.total = total;
  }

  /** Describes the remaining time, if enough is done for an estimate. */
  #describeLeft(): string {
    const elapsed = performance.now() - this.#started;
    if (this.#done < this.total * LEAST_DONE || this.#done >= this.total || elapsed < this.pause) return "";
    return `, about ${formatDuration((elapsed / this.#done) * (this.total - this.#done))} left`;
  }
}

/** Formats a size in bytes with two digits or more: `38 KB`, `2.0 MB`, `120 MB`. */
export function formatBytes(bytes: number): string {
  const [size, unit] =
    bytes < 1e6 ? [bytes / 1e3, "KB"] : bytes < 1e9 ? [bytes / 1e6, "MB"] : [bytes / 1e9, "GB"];
  return `${size < 10 && unit !== "KB" ? size.toFixed(1) : Math.ceil(size)} ${unit}`;
}

/** Columns of a table: the cell of each row by its heading; null shows as a dash. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string | number | null>>;

/** Shortens a text to a number of characters, the last of them an ellipsis. */
export const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).trimEnd()}…`;

/** Minimum number of characters shown of the last column. */
const LAST = 20;

/**
 * Formats rows as lines with aligned columns below their headings.
 * @param width number of characters that a line should have at most: the last column is cut
 */
export function formatTable<Row>(rows: readonly Row[], columns: Columns<Row>, width = Infinity): string[] {
  const lines = [
    Object.keys(columns),
    ...rows.map((row) => Object.values(columns).map((cell) => escapeControls(String(cell(row) ?? "-")))),
  ];
  const widths = Object.keys(columns).map((_, column) =>
    Math.max(...lines.map((cells) => cells[column]?.length ?? 0)),
  );
  const last = widths.length - 1;
  const room = Math.max(LAST, width - widths.slice(0, last).reduce((sum, one) => sum + one + 2, 0));
  return lines.map((cells) =>
    cells
      .map((cell, column) => (column === last ? cut(cell, room) : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}

/**
 * Requires confirmation: `--yes`, or an answer at a terminal.
 * @param warning what the action takes away, without a full stop
 * @throws UsageError without one
 */
export async function confirm(
  question: string,
  yes: boolean | undefined,
  warning = "This can't be undone",
): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new UsageError(`${question} ${warning}; add --yes to confirm.`);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${question} ${warning}. [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new UsageError("Nothing was changed.");
}

/**
 * Reads a secret: the answer to a question at a terminal, which doesn't show it, otherwise the first line of stdin. An argument
 * would be in the shell's history and in the list of processes.
 * @throws UsageError if there is none
 */
export async function readSecret(what: string): Promise<string> {
  const terminal = process.stdin.isTTY === true;
  if (terminal) process.stderr.write(`${what}: `);
  const output = new Writable({ write: (_typed, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output, terminal });
  const [line] = await Promise.race([once(lines, "line"), once(lines, "close")]);
  lines.close();
  if (terminal) process.stderr.write("\n");
  const secret = String(line ?? "").trim();
  if (secret === "") throw new UsageError(`${what}: type it at the prompt, or send it to stdin.`);
  return secret;
}
