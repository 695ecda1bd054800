import { constants } from "node:fs";
import { open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Name of the file that says what became of each watched file. It lies in the folder, so that both are copied and lost together. */
export const STATE_FILE = ".minutes-watch.jsonl";

/** What became of a file, which need not be looked at again until it changes. */
export interface Seen {
  /** Changes when the file does. */
  readonly mark: string;
  readonly result: "imported" | "failed";
}

const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

type Line = { readonly file: string } & Partial<Seen>;

const toText = (line: Line): string => `${JSON.stringify(line)}\n`;

/** Remembers what became of the files of a folder. A kill loses at most the last one, which importing again does not change. */
export class WatchState {
  readonly #files = new Map<string, Seen>();
  private constructor(private readonly path: string) {}

  /** Reads a folder's state, and rewrites it without what is out of date. */
  static async open(folder: string): Promise<WatchState> {
    const state = new WatchState(join(folder, STATE_FILE));
    const text = await readFile(state.path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return "";
      throw error;
    });
    for (const line of text.split("\n")) state.#apply(line);
    const lines = [...state.#files].map(([file, seen]) => toText({ file, ...seen }));
    // Others may be able to write here: a link that they put in the way is not followed.
    await rm(`${state.path}.new`, { force: true });
    await writeFile(`${state.path}.new`, lines.join(""), { flag: "wx" });
    await rename(`${state.path}.new`, state.path);
    return state;
  }

  /** A kill can have cut a line. */
  #apply(text: string): void {
    try {
      const { file, mark, result } = JSON.parse(text) as Line;
      if (mark === undefined || result === undefined) this.#files.delete(file);
      else this.#files.set(file, { mark, result });
    } catch {
      // What it said is found out again.
    }
  }

  get(file: string): Seen | undefined {
    return this.#files.get(file);
  }

  async set(file: string, seen: Seen): Promise<void> {
    this.#files.set(file, seen);
    await this.#append(toText({ file, ...seen }));
  }

  /** Forgets files that are no longer there, so that others can have their names. */
  async keep(there: ReadonlySet<string>): Promise<void> {
    const gone = [...this.#files.keys()].filter((file) => !there.has(file));
    for (const file of gone) this.#files.delete(file);
    if (gone.length > 0) await this.#append(gone.map((file) => toText({ file })).join(""));
  }

  async #append(text: string): Promise<void> {
    const log = await open(this.path, APPEND);
    try {
      await log.appendFile(text);
    } finally {
      await log.close();
    }
  }
}
