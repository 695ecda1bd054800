/** Fields common to all pages. */
export interface AnyPage {
  readonly nextCursor: string | number | null;
}

/** A list procedure of a client, such as `client.meetings.list`. */
export interface PagedProcedure {
  // biome-ignore lint/suspicious/noExplicitAny: each list has its own filters, and only `any` accepts them all.
  query(input: any, options?: { signal?: AbortSignal | undefined }): Promise<AnyPage>;
}

// biome-ignore lint/suspicious/noExplicitAny: each procedure has its own input, and only `any` accepts them all.
type Call = (input: any, ...rest: any[]) => Promise<unknown>;
type CallOf<Procedure> = Procedure extends { query: Call }
  ? Procedure["query"]
  : Procedure extends { mutate: Call }
    ? Procedure["mutate"]
    : never;

/** The input of a procedure of a client, without `undefined`, such as `InputOf<MeClient["meetings"]["list"]>`. */
export type InputOf<Procedure> = Exclude<Parameters<CallOf<Procedure>>[0], void>;
/** What a procedure of a client returns, such as `OutputOf<MeClient["meetings"]["list"]>`. */
export type OutputOf<Procedure> = Awaited<ReturnType<CallOf<Procedure>>>;

/** The filters of a list procedure. */
export type FiltersOf<Procedure extends PagedProcedure> = Parameters<Procedure["query"]>[0] & object;
/** A page of a list procedure. */
export type PageOf<Procedure extends PagedProcedure> = Awaited<ReturnType<Procedure["query"]>>;

/** The item type of a page: `MeetingListItem` of a `MeetingPage`. */
export type ItemOf<Page> = {
  [Field in keyof Page]: Page[Field] extends ReadonlyArray<infer Item> ? Item : never;
}[keyof Page];

/** All items of a list, fetched page by page as they are read. */
export interface Items<Item> extends AsyncIterable<Item> {
  /** Collects up to `max` items and fetches no page beyond that. */
  toArray(options?: { readonly max?: number | undefined }): Promise<Item[]>;
}

/**
 * Iterates over all pages of a list. Rows that existed at the start are returned exactly once, whatever is added in
 * between. Waits for the rate limit.
 *
 * @example
 * for await (const meeting of paginate(client.meetings.list, { startDate: "2026-01-01" })) { … }
 * const tasks = await paginate(client.tasks.list, { completed: false }).toArray({ max: 500 });
 */
export function paginate<Procedure extends PagedProcedure>(
  procedure: Procedure,
  input?: FiltersOf<Procedure>,
  options?: { readonly signal?: AbortSignal | undefined },
): Items<ItemOf<PageOf<Procedure>>> {
  type Item = ItemOf<PageOf<Procedure>>;
  const filters: { limit?: number; cursor?: AnyPage["nextCursor"] } = input ?? {};
  async function* iterate(most = Number.POSITIVE_INFINITY): AsyncGenerator<Item, void, undefined> {
    let left = most;
    let cursor = filters.cursor ?? null;
    while (left > 0) {
      // Don't fetch more than is left to return.
      const page: AnyPage = await procedure.query(
        {
          ...filters,
          ...(left < (filters.limit ?? DEFAULT_LIMIT) ? { limit: left } : {}),
          ...(cursor === null ? {} : { cursor }),
        },
        options?.signal ? { signal: options.signal } : {},
      );
      for (const item of getItems<Item>(page)) {
        if (left-- <= 0) return;
        yield item;
      }
      // A fake without it, or a procedure without pages, would never end.
      cursor = page.nextCursor ?? null;
      if (cursor === null) return;
    }
  }
  return {
    [Symbol.asyncIterator]: () => iterate(),
    toArray: async ({ max } = {}) => {
      const all: Item[] = [];
      for await (const item of iterate(max)) all.push(item);
      return all;
    },
  };
}

/** The service's page size when `limit` is absent. */
const DEFAULT_LIMIT = 50;

/** Returns the array of a page. */
const getItems = <Item>(page: AnyPage): Item[] => Object.values(page).find(Array.isArray) ?? [];
