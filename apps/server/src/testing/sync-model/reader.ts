import { isDeepStrictEqual } from "node:util";
import type { Change, ChangePage } from "@minutes/contract";
import { readPayload } from "@minutes/testing";
import type { TestServer } from "../server.js";

/** A server whose API is read. */
type Api = Pick<TestServer, "call" | "data">;

/** A client that keeps a copy with only the change feed. */
export interface Reader {
  readonly name: string;
  readonly key: string;
  readonly side: "me" | "workspace";
  readonly detail: boolean;
  /** True if it stops within chains of pages. */
  readonly hasty: boolean;
  cursor: string | undefined;
  /** Data by `meeting mtg_…`. */
  readonly copy: Map<string, object>;
  /** What was removed and not sent since. */
  readonly removed: Set<string>;
}

/** Returns true for a connection error caused by a killed server. */
export const isConnectionFault = (error: unknown): boolean =>
  /^(ECONNRESET|ECONNREFUSED|EPIPE)$/.test((error as NodeJS.ErrnoException).code ?? "");

/**
 * Reads and applies at most `pages` pages. Checks that each contains only what the reader can see: sent objects equal
 * the API's current ones, and removed meetings and tags were sent before.
 */
export async function readPages(server: Api, reader: Reader, pages: number, limit: number): Promise<boolean> {
  for (let at = 0; at < pages; at++) {
    const answer = await server.call(reader.key, `sync/${reader.side}/changes.list`, {
      limit,
      ...(reader.cursor === undefined ? {} : { cursor: reader.cursor }),
      ...(reader.detail ? { include: ["detail"] } : {}),
    });
    const page = readPayload<ChangePage>(answer);
    await storePage(server, reader, page);
    if (!page.hasMore) return true;
  }
  return false;
}

/** Applies a page and stores its cursor: both, or neither if the server is killed. */
async function storePage(server: Api, reader: Reader, page: ChangePage): Promise<void> {
  const before = [...reader.copy];
  try {
    for (const change of page.changes) await apply(server, reader, change);
    reader.cursor = page.nextCursor;
  } catch (error) {
    reader.copy.clear();
    for (const [name, data] of before) reader.copy.set(name, data);
    throw error;
  }
}

async function apply(server: Api, reader: Reader, change: Change): Promise<void> {
  const name = `${change.type} ${change.id}`;
  if (change.op === "removed") {
    // A reader that stops within a chain may miss objects that came and went behind the cursor. After a replacement,
    // readers who gained access shortly before get removals of tasks they never received:
    // docs/decisions/0002-recording-lifecycle.md. Of an object that reached them in several ways, the end of each can be
    // sent on another page: a change can be sent again.
    const wasSent = reader.copy.delete(name) || reader.removed.has(name);
    reader.removed.add(name);
    if (!wasSent && !reader.hasty && change.type !== "task")
      throw new Error(`${reader.name}: ${name} was removed and never sent.`);
    return;
  }
  reader.copy.set(name, change.data);
  reader.removed.delete(name);
  if (change.type !== "meeting") return;
  const input = { meetingId: change.id };
  const { status } = await server.call(reader.key, `${reader.side}/meetings.get`, input);
  if (status !== 200)
    throw new Error(`${reader.name}: ${name} was sent, and meetings.get answers ${status}.`);
}

/** Compares a copy with everything that the API returns. @throws Error that names the first difference */
export async function compareCopy(server: Api, reader: Reader): Promise<void> {
  const listed = new Map<string, object>();
  const { key, side } = reader;
  for (const type of ["meeting", "task"] as const) {
    let cursor: string | null = null;
    do {
      const page: { nextCursor: string | null } & Record<string, unknown> = readPayload(
        await server.call(key, `${side}/${type}s.list`, { limit: 100, ...(cursor ? { cursor } : {}) }),
      );
      for (const item of page[`${type}s`] as { id: string }[]) listed.set(`${type} ${item.id}`, item);
      cursor = page.nextCursor;
    } while (cursor !== null);
  }
  if (side === "me") {
    const { tags } = await server.data(key, "me/tags.list");
    for (const tag of tags) listed.set(`tag ${tag.id}`, tag);
  }
  for (const name of new Set([...listed.keys(), ...reader.copy.keys()])) {
    let expected = listed.get(name);
    if (expected && reader.detail && name.startsWith("meeting ")) {
      const input = { meetingId: name.slice("meeting ".length) };
      expected = {
        ...expected,
        ...readPayload<object>(await server.call(key, `${side}/meetings.get`, input)),
      };
    }
    const copied = withoutTime(reader.copy.get(name));
    if (!isDeepStrictEqual(copied, expected)) {
      const [has, should] = [JSON.stringify(copied), JSON.stringify(expected)];
      throw new Error(`${reader.name}: ${name} is ${has} in the copy, and the API has ${should}.`);
    }
  }
}

/** Removes the fields that lists of /v1 don't have. */
function withoutTime(data: object | undefined): object | undefined {
  if (!data) return undefined;
  const { updatedAt, due: _due, ...rest } = data as { updatedAt?: string; due?: string | null };
  return typeof updatedAt === "string" ? rest : undefined;
}
