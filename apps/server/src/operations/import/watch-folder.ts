import type { Stats } from "node:fs";
import { lstat, mkdir, readdir, realpath, rename } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { hasKnownExtension } from "@minutes/transcripts";
import { hasAudioExtension } from "@minutes/transcripts/extensions";
import { describeFileFault } from "../file-fault.js";
import { isIgnored } from "./ignored-files.js";
import { WatchState } from "./watch-state.js";

/** Subfolder to which imported files are moved. It is not watched. */
const IMPORTED = "imported";

/** What became of a file. */
export interface WatchedFile {
  /** Path in the folder. */
  readonly file: string;
  readonly imported: number;
  readonly unchanged: number;
  readonly failed: readonly WatchFailure[];
  /** Where the file is now; only with `--move`. */
  readonly moved?: string;
}

export interface WatchFailure {
  readonly index: number | null;
  readonly line: number | null;
  readonly error: string;
  /** True if trying again can help. */
  readonly passes?: true;
}

/** Imports one file. @throws anything that is not about this file */
export type ImportWatched = (path: string) => Promise<Omit<WatchedFile, "file" | "moved">>;

interface Found {
  readonly file: string;
  readonly mark: string;
  /** Why it can't be imported; null if it can be tried. */
  readonly refusal: string | null;
}

const REFUSALS = {
  link: "Symbolic links are not followed. Move the file itself here.",
  format: "Unknown format. Transcripts, documents, recordings and ZIP archives are imported.",
  changed:
    "The file changed after it was imported, and is not imported again. If it is another meeting, rename it.",
} as const;

/** First and maximum pause in ms before a file is tried again whose failure can pass. */
const RETRY = 60_000;
const MAX_RETRY = 3_600_000;

/** Files of a folder that are imported once each, as soon as nobody writes to them any more. */
export class FolderWatch {
  /** Marks at the look before. */
  #before = new Map<string, string>();
  readonly #retries = new Map<string, { mark: string; at: number; pause: number; error: string }>();
  private constructor(
    private readonly folder: string,
    private readonly state: WatchState,
    private readonly move: boolean,
  ) {}

  /** @throws an error of the file system if the folder can't be read, or nothing can be written there */
  static async open(folder: string, { move }: { readonly move: boolean }): Promise<FolderWatch> {
    const real = await realpath(folder);
    await readdir(real);
    return new FolderWatch(real, await WatchState.open(real), move);
  }

  /**
   * Lists what is due: files that are new or have changed, and are the same as at the look before.
   * @returns also how many may be due at the next look
   */
  async look(): Promise<{ readonly due: readonly Found[]; readonly unsettled: number }> {
    const found = await list(this.folder);
    await this.state.keep(new Set(found.map(({ file }) => file)));
    const open = found.filter(
      ({ file, mark }) => this.state.get(file)?.mark !== mark && !this.#rests(file, mark),
    );
    const due = open.filter(({ file, mark }) => this.#before.get(file) === mark);
    this.#before = new Map(open.map(({ file, mark }) => [file, mark]));
    return { due, unsettled: open.length - due.length };
  }

  /** Returns true if a failed file is tried again later. */
  #rests(file: string, mark: string): boolean {
    const retry = this.#retries.get(file);
    return retry?.mark === mark && performance.now() < retry.at;
  }

  /**
   * Imports a file, and marks or moves it.
   * @returns what became of it; null if that was said before, or if the file is another one since the look
   */
  async import({ file, mark, refusal }: Found, importFile: ImportWatched): Promise<WatchedFile | null> {
    const isImported = this.state.get(file)?.result === "imported";
    const reason = refusal ?? (isImported ? REFUSALS.changed : null);
    if (reason !== null) {
      await this.state.set(file, { mark, result: isImported ? "imported" : "failed" });
      return refuse(file, reason);
    }
    if (!(await this.#isUnchanged(file, mark))) return null;
    const done = await importFile(join(this.folder, file));
    const passing = done.failed.find(({ passes }) => passes);
    if (passing) return this.#retryLater(file, mark, passing.error) ? { file, ...done } : null;
    this.#retries.delete(file);
    if (done.failed.length > 0 || !this.move) {
      await this.state.set(file, { mark, result: done.failed.length > 0 ? "failed" : "imported" });
      return { file, ...done };
    }
    return { file, ...done, ...(await this.#moveAway(file, mark)) };
  }

  /** Returns false if a file or a folder above it was replaced since the look, such as by a link that leads elsewhere. */
  async #isUnchanged(file: string, mark: string): Promise<boolean> {
    const path = join(this.folder, file);
    const [status, real] = await Promise.all([lstat(path), realpath(path)]).catch(() => [null, null]);
    return status !== null && real === path && toMark(status) === mark;
  }

  /** @returns true if the reason is another one than before */
  #retryLater(file: string, mark: string, error: string): boolean {
    const last = this.#retries.get(file);
    const pause = last?.mark === mark ? Math.min(2 * last.pause, MAX_RETRY) : RETRY;
    this.#retries.set(file, { mark, at: performance.now() + pause, pause, error });
    return last?.error !== error || last.mark !== mark;
  }

  /** Moves an imported file. One that can't be moved is marked. */
  async #moveAway(file: string, mark: string): Promise<Partial<WatchedFile>> {
    try {
      const moved = await findFree(this.folder, join(IMPORTED, file));
      const target = join(this.folder, dirname(moved));
      await mkdir(target, { recursive: true });
      if ((await realpath(target)) !== target) throw new LinkedTarget();
      if (!(await this.#isUnchanged(file, mark))) return {};
      await rename(join(this.folder, file), join(this.folder, moved));
      return { moved };
    } catch (error) {
      await this.state.set(file, { mark, result: "imported" });
      const reason = `It is imported, but can't be moved. ${describe(error)}`;
      return { failed: [{ index: null, line: null, error: reason }] };
    }
  }
}

/** The subfolder leads out of the folder. */
class LinkedTarget extends Error {
  override message = `“${IMPORTED}” is or contains a symbolic link.`;
}

const describe = (error: unknown): string =>
  error instanceof LinkedTarget
    ? error.message
    : (describeFileFault(error) ?? `Unexpected fault: ${(error as NodeJS.ErrnoException).code ?? "unknown"}`);

const refuse = (file: string, error: string): WatchedFile => ({
  ...{ file, imported: 0, unchanged: 0 },
  failed: [{ index: null, line: null, error }],
});

/** Finds a path at which nothing is, adding a number if need be. */
async function findFree(folder: string, path: string): Promise<string> {
  for (let number = 1; ; number++) {
    const extension = extname(path);
    const name = `${basename(path, extension)}${number === 1 ? "" : ` (${number})`}${extension}`;
    const free = join(dirname(path), name);
    const taken = await lstat(join(folder, free)).catch(() => null);
    if (!taken) return free;
  }
}

/** Lists the files of a folder and its subfolders, without those that were moved and what `isIgnored`. */
async function list(folder: string, below = ""): Promise<Found[]> {
  const found: Found[] = [];
  for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
    const file = join(below, entry.name);
    if (isIgnored(file) || file === IMPORTED) continue;
    if (entry.isDirectory())
      found.push(
        ...(await list(folder, file).catch((error) => [{ file, mark: "folder", refusal: describe(error) }])),
      );
    else if (entry.isFile() || entry.isSymbolicLink()) {
      const status = await lstat(join(folder, file)).catch(() => null);
      if (!status) continue; // it was removed just now
      found.push({ file, mark: toMark(status), refusal: entry.isFile() ? findRefusal(file) : REFUSALS.link });
    }
  }
  return found.sort((one, other) => (one.file < other.file ? -1 : 1));
}

/** Writes what changes when a file is written or replaced. */
const toMark = ({ size, mtimeMs, ctimeMs }: Stats): string => `${size} ${mtimeMs} ${ctimeMs}`;

const findRefusal = (file: string): string | null =>
  hasKnownExtension(file) || hasAudioExtension(file) || /\.zip$/i.test(file) ? null : REFUSALS.format;
