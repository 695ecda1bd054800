import { type FileHandle, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";

/** Name of the state file. It lies in the folder, so that both are kept, copied and lost together. */
const STATE_FILE = ".minutes-sync.jsonl";
const VERSION = 1;

/** What the files were written from and with. */
export interface Settings {
  /** The service's URL. */
  readonly url: string;
  readonly timeZone: string;
  /** Identifies the template. */
  readonly template: string;
}

/** A meeting's file. */
export interface Entry {
  readonly file: string;
  /** Digest of what sync wrote last; null if it never wrote this file. */
  readonly digest: string | null;
  /** Digest of what that replaced. After a kill the file can still have it. */
  readonly before?: string | null;
  /** The reading of everything in which the meeting came last. */
  readonly pass: number;
  /** Why an edited file is behind: the meeting changed, or is gone. */
  readonly kept?: "changed" | "removed";
}

type Line =
  | ({ readonly version: number; readonly pass: number } & Settings)
  | ({ readonly id: string } & Entry)
  | { readonly id: string; readonly file?: never }
  | { readonly cursor: string | null };

/**
 * The cursor and what is known of each file. Changes are appended to the state file before the file they are about is
 * touched, so that a kill at any moment leaves nothing unexplained.
 */
export class FolderState {
  settings: Settings | null = null;
  cursor: string | null = null;
  /** Counts how often everything was read from the start. */
  pass = 0;
  readonly #entries = new Map<string, Entry>();
  /** The meeting that has a name, in a form in which names are equal to any file system. */
  readonly #taken = new Map<string, string>();
  #log: FileHandle | null = null;

  /** Reads a folder's state and rewrites it, without what is out of date. */
  static async open(folder: string): Promise<FolderState> {
    const state = new FolderState();
    const path = join(folder, STATE_FILE);
    state.#read(await readFile(path, "utf8").catch(ignoreMissing));
    await writeInOneStep(folder, STATE_FILE, [...state.#lines()].map(toText).join(""));
    state.#log = await open(path, "a");
    return state;
  }

  #read(text: string): void {
    const lines = text.split("\n");
    // A kill can cut the last line.
    lines.pop();
    let isDamaged = false;
    for (const line of lines) {
      try {
        this.#apply(JSON.parse(line));
      } catch (error) {
        if (error instanceof FolderError) throw error;
        isDamaged = true;
      }
    }
    if (isDamaged) this.cursor = null;
  }

  #apply(line: Line): void {
    if ("version" in line) {
      const { version, pass, url, timeZone, template } = line;
      if (version !== VERSION)
        throw new FolderError(
          `${STATE_FILE} is of another version of this program. Use that, or another folder.`,
        );
      this.settings = { url, timeZone, template };
      if (this.pass !== pass) this.cursor = null;
      this.pass = pass;
    } else if ("cursor" in line) this.cursor = line.cursor;
    else if (line.file === undefined) this.#entries.delete(line.id);
    else {
      // The file can come from elsewhere, with a repository: no name in it leads out of the folder.
      const { id, file, ...entry } = line;
      if (!/^[^/\\]+\.md$/.test(file) || basename(file) !== file) throw new Error("no file name");
      this.#entries.set(id, { file, ...entry });
      this.#taken.set(toKey(file), id);
    }
  }

  *#lines(): Generator<Line> {
    if (this.settings) yield { version: VERSION, pass: this.pass, ...this.settings };
    for (const [id, entry] of this.#entries) yield { id, ...entry };
    yield { cursor: this.cursor };
  }

  get entries(): ReadonlyMap<string, Entry> {
    return this.#entries;
  }

  /** Returns true if a meeting has this name, or one that some file systems take for the same. */
  isTaken(file: string): boolean {
    const id = this.#taken.get(toKey(file));
    return id !== undefined && this.#entries.has(id);
  }

  async set(id: string, entry: Entry): Promise<void> {
    this.#entries.set(id, entry);
    this.#taken.set(toKey(entry.file), id);
    await this.#append({ id, ...entry });
  }

  async forget(id: string): Promise<void> {
    this.#entries.delete(id);
    await this.#append({ id });
  }

  async saveCursor(cursor: string): Promise<void> {
    this.cursor = cursor;
    await this.#append({ cursor });
    await this.#log?.datasync();
  }

  /** Begins to read everything again. */
  async startOver(settings: Settings): Promise<void> {
    this.settings = settings;
    this.pass++;
    this.cursor = null;
    await this.#append({ version: VERSION, pass: this.pass, ...settings });
  }

  async close(): Promise<void> {
    await this.#log?.close();
  }

  async #append(line: Line): Promise<void> {
    await this.#log?.appendFile(toText(line));
  }
}

const toText = (line: Line): string => `${JSON.stringify(line)}\n`;

/** Returns a name's form in which two that a file system takes for the same are equal. */
export const toKey = (file: string): string => file.normalize("NFC").toLowerCase();

/** A reason why a folder can't be synced, in words for its owner. */
export class FolderError extends Error {
  override name = "FolderError";
}

/** Writes a file of the folder in one step: what is there is always whole. */
export async function writeInOneStep(folder: string, file: string, text: string): Promise<void> {
  const draft = join(folder, ".minutes-sync.tmp");
  await rm(draft, { force: true });
  await writeFile(draft, text, { flag: "wx", flush: true });
  await rename(draft, join(folder, file));
}

const ignoreMissing = (error: NodeJS.ErrnoException): string => {
  if (error.code === "ENOENT") return "";
  throw error;
};
