import { createHash } from "node:crypto";
import { lstat, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type MeClient, MinutesError, type WorkspaceClient } from "../index.js";
import { lockFolder } from "./lock.js";
import { isFileOf, type MeetingContent, TEMPLATE, toFileName, toMarkdown } from "./meeting-file.js";
import { type Entry, FolderError, FolderState, type Settings, toKey, writeInOneStep } from "./state.js";

/** What happened to a file, or that the folder has everything that could be read. */
export type FolderEvent =
  | { readonly event: "written" | "removed"; readonly id: string; readonly file: string }
  /** An edited file was left alone although its meeting changed or is gone. */
  | {
      readonly event: "kept";
      readonly id: string;
      readonly file: string;
      readonly meeting: "changed" | "removed";
    }
  | ({ readonly event: "synced" } & FolderTotals);

/** What a run did so far. */
export interface FolderTotals {
  readonly written: number;
  readonly removed: number;
  /** All edited files that are behind their meetings, also since earlier runs. */
  readonly kept: readonly string[];
}

export interface FolderOptions {
  readonly client: Pick<MeClient | WorkspaceClient, "changes" | "meetings">;
  readonly folder: string;
  /** The service's URL, without a slash at its end. */
  readonly url: string;
  /** Of days and times; the one of earlier runs by default, at first the machine's. */
  readonly timeZone?: string | undefined;
  readonly template?: string | undefined;
  /** Overwrites and removes edited files, too. */
  readonly force?: boolean | undefined;
  /** False ends once everything was read. Otherwise waits for further changes until `signal` aborts. */
  readonly follow: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: FolderEvent) => void) | undefined;
}

/**
 * Keeps a Markdown file for each meeting in a folder, by the change feed. Can be stopped or killed at any time; the next
 * run continues. Touches no file that it didn't write or that was edited since, except with `force`.
 *
 * @returns once everything was read (`follow: false`) or the signal aborts
 * @throws FolderError if the folder doesn't fit the options, MinutesError
 */
export async function syncFolder(options: FolderOptions): Promise<FolderTotals> {
  await mkdir(options.folder, { recursive: true });
  const unlock = await lockFolder(options.folder);
  try {
    const state = await FolderState.open(options.folder);
    try {
      return await new FolderSync(options, state).run();
    } finally {
      await state.close();
    }
  } finally {
    unlock();
  }
}

/** What a file's name leads to: the digest of a regular file, `null` for nothing, and `other` for a folder or link. */
type Found = { readonly text: string; readonly digest: string } | "other" | null;

class FolderSync {
  #written = 0;
  #removed = 0;
  readonly #template: string;
  readonly #settings: Settings;

  constructor(
    private readonly options: FolderOptions,
    private readonly state: FolderState,
  ) {
    const { url, template = TEMPLATE, timeZone = state.settings?.timeZone ?? getTimeZone() } = options;
    this.#template = template;
    this.#settings = { url, timeZone, template: toDigest(template) };
  }

  async run(): Promise<FolderTotals> {
    const { follow, signal, onEvent } = this.options;
    while (!signal?.aborted) {
      try {
        await this.#prepare();
        await this.#read(false);
        await this.#settle();
        onEvent?.({ event: "synced", ...this.#totals() });
        if (follow) await this.#read(true);
        break;
      } catch (error) {
        if (signal?.aborted) break;
        if (!(error instanceof MinutesError) || this.state.cursor === null) throw error;
        if (error.code === "bad_request")
          throw new FolderError(
            "This folder was synced with the key of another user or workspace. Use that key or another folder, or start over with --force.",
          );
        if (error.code !== "gone") throw error;
        this.state.cursor = null;
      }
    }
    return this.#totals();
  }

  /** Begins to read everything, if there is no cursor or files would look different with these options. */
  async #prepare(): Promise<void> {
    const { settings: before, cursor, entries } = this.state;
    const { client, force = false, signal } = this.options;
    const { url, timeZone, template } = this.#settings;
    const isSameService = before?.url === url;
    if (before && !isSameService && entries.size > 0 && !force)
      throw new FolderError(
        `This folder has the meetings of ${before.url}. Use another folder, or start over with --force.`,
      );
    const isSame = isSameService && before.timeZone === timeZone && before.template === template;
    if (isSame && !force && cursor !== null) return;
    // The cursor is refused with another user's or workspace's key.
    if (cursor !== null && isSameService && !force)
      for await (const _ of client.changes({ cursor, detail: true, follow: false, limit: 1, signal })) break;
    await this.state.startOver(this.#settings);
  }

  async #read(follow: boolean): Promise<void> {
    const { client, signal } = this.options;
    for await (const page of client.changes({ cursor: this.state.cursor, detail: true, follow, signal })) {
      for (const change of page.changes) {
        if (change.type !== "meeting") continue;
        if (change.op === "removed") await this.#remove(change.id);
        else await this.#put(change.data);
      }
      await this.state.saveCursor(page.nextCursor);
    }
    signal?.throwIfAborted();
  }

  /**
   * Brings files up to date that the feed says nothing about: of meetings that did not come when everything was read
   * again, missing files, and files that are behind but no longer edited.
   */
  async #settle(): Promise<void> {
    const { client, folder, signal } = this.options;
    const present = new Set((await readdir(folder)).map(toKey));
    for (const [id, entry] of [...this.state.entries]) {
      const isBehind = entry.pass !== this.state.pass || !present.has(toKey(entry.file));
      if (!isBehind && !(entry.kept && isOwn(await this.#find(entry.file), entry))) continue;
      try {
        await this.#put(await client.meetings.get.query({ meetingId: id }, signal ? { signal } : {}));
      } catch (error) {
        // Only what the service says is gone is removed.
        if (!(error instanceof MinutesError) || !["not_found", "forbidden"].includes(error.code)) throw error;
        await this.#remove(id);
      }
    }
  }

  async #put(meeting: MeetingContent): Promise<void> {
    const { id } = meeting;
    const { folder } = this.options;
    const { pass } = this.state;
    const text = toMarkdown(this.#template, meeting, this.#settings);
    const digest = toDigest(text);
    const entry = this.state.entries.get(id);
    const file = entry?.file ?? (await this.#choose(meeting));
    const found = await this.#find(file);
    if (found !== null && found !== "other" && found.digest === digest)
      return this.state.set(id, { file, digest, pass });
    if (found !== null && !this.#mayReplace(found, entry))
      return this.#keep(id, { file, digest: entry?.digest ?? null, pass, kept: "changed" });
    await this.state.set(id, { file, digest, before: found?.digest ?? null, pass });
    await writeInOneStep(folder, file, text);
    this.#written++;
    this.options.onEvent?.({ event: "written", id, file });
  }

  async #remove(id: string): Promise<void> {
    const entry = this.state.entries.get(id);
    if (!entry) return;
    const { file } = entry;
    const found = await this.#find(file);
    if (found !== null && !this.#mayReplace(found, entry))
      return this.#keep(id, { ...entry, pass: this.state.pass, kept: "removed" });
    if (found !== null) {
      await rm(join(this.options.folder, file));
      this.#removed++;
      this.options.onEvent?.({ event: "removed", id, file });
    }
    await this.state.forget(id);
  }

  async #keep(id: string, entry: Entry & { readonly kept: "changed" | "removed" }): Promise<void> {
    const isNew = this.state.entries.get(id)?.kept !== entry.kept;
    await this.state.set(id, entry);
    if (isNew) this.options.onEvent?.({ event: "kept", id, file: entry.file, meeting: entry.kept });
  }

  /** Returns true for a file that has what sync wrote, or with `force` any text. */
  #mayReplace(
    found: Exclude<Found, null>,
    entry: Entry | undefined,
  ): found is { text: string; digest: string } {
    return found !== "other" && (this.options.force === true || (entry !== undefined && isOwn(found, entry)));
  }

  /** Returns a free name, or the one of this meeting's file whose state was lost. */
  async #choose(meeting: MeetingContent): Promise<string> {
    for (let number = 1; ; number++) {
      const file = toFileName(meeting, this.#settings.timeZone, number);
      if (this.state.isTaken(file)) continue;
      const found = await this.#find(file);
      if (found === null || (found !== "other" && isFileOf(found.text, meeting.id))) return file;
    }
  }

  async #find(file: string): Promise<Found> {
    const path = join(this.options.folder, file);
    try {
      if (!(await lstat(path)).isFile()) return "other";
      const text = await readFile(path, "utf8");
      return { text, digest: toDigest(text) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error;
    }
  }

  #totals(): FolderTotals {
    const kept = [...this.state.entries.values()].filter((entry) => entry.kept).map(({ file }) => file);
    return { written: this.#written, removed: this.#removed, kept };
  }
}

/** Returns true for a file that has what sync wrote last, or before a kill. */
const isOwn = (found: Found, { digest, before }: Entry): boolean =>
  found !== null && found !== "other" && (found.digest === digest || found.digest === before);

/** Computes a text's digest. Line ends don't count: git converts them on Windows. */
const toDigest = (text: string): string =>
  createHash("sha256").update(text.replaceAll("\r\n", "\n")).digest("base64url");

const getTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;
