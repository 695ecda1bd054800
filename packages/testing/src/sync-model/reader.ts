import { isDeepStrictEqual } from "node:util";
import type { Change, ChangePage } from "@minutes/contract";
import { readPayload } from "../call.js";
import type { TestServer } from "../server.js";

/** A server whose API is read. */
type Api = Pick<TestServer, "call" | "data">;

/** Somebody who keeps a copy by the change feed alone. */
export interface Reader {
  readonly name: string;
  readonly key: string;
  readonly side: "me" | "workspace";
  readonly detail: boolean;
  /** Stops within chains of pages. */
  readonly hasty: boolean;
  cursor: string | undefined;
  /** Data by `meeting mtg_…`. */
  readonly copy: Map<string, object>;
}

/** True for what a caller sees of a server that was killed. */
export const isConnectionFault = (error: unknown): boolean =>
  /^(ECONNRESET|ECONNREFUSED|EPIPE)$/.test((error as NodeJS.ErrnoException).code ?? "");

/**
 * Reads at most so many pages and applies them. Checks of each that it tells nothing that the reader can't see: what is
 * sent is what the API shows at this moment, and what is removed was sent before.
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

/** Applies a page and keeps its cursor: both or, when the server is killed meanwhile, none. */
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
    // Who stops within a chain may miss what came and went behind the cursor.
    if (!reader.copy.delete(name) && !reader.hasty)
      throw new Error(`${reader.name}: ${name} was removed and never sent.`);
    return;
  }
  reader.copy.set(name, change.data);
  if (change.type !== "meeting") return;
  const input = { meetingId: change.id };
  const { status } = await server.call(reader.key, `${reader.side}/meetings.get`, input);
  if (status !== 200)
    throw new Error(`${reader.name}: ${name} was sent, and meetings.get answers ${status}.`);
}

/** Compares a copy with everything that the API lists and gets. @throws Error that names the first difference */
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

/** Removes the field that lists don't have. */
function withoutTime(data: object | undefined): object | undefined {
  if (!data) return undefined;
  const { updatedAt, ...rest } = data as { updatedAt?: string };
  return typeof updatedAt === "string" ? rest : undefined;
}
