/** A list procedure of a client: `client.meetings.list`. */
export interface PagedProcedure<Input, Page> {
  query(input?: Input, options?: { signal?: AbortSignal }): Promise<Page>;
}

/** What every page has. */
export interface AnyPage {
  readonly nextCursor: string | null;
}

/** The items of a page: `MeetingListItem` of a `MeetingPage`. */
export type ItemOf<Page> = {
  [Field in keyof Page]: Page[Field] extends ReadonlyArray<infer Item> ? Item : never;
}[keyof Page];

/** All items of a list, fetched page by page while they are read. */
export interface Items<Item> extends AsyncIterable<Item> {
  /** Collects the items, at most `max` of them; no page is fetched beyond that. */
  toArray(options?: { readonly max?: number }): Promise<Item[]>;
}

/**
 * Goes through all pages of a list. Rows that existed when it began are seen exactly once, whatever is added
 * meanwhile; the rate limit is waited for.
 * @example
 * for await (const meeting of paginate(client.meetings.list, { startDate: "2026-01-01" })) { … }
 * const tasks = await paginate(client.tasks.list, { completed: false }).toArray({ max: 500 });
 */
export function paginate<Input extends { cursor?: string | undefined } | undefined, Page extends AnyPage>(
  procedure: PagedProcedure<Input, Page>,
  input?: NoInfer<Input>,
  options?: { readonly signal?: AbortSignal },
): Items<ItemOf<Page>> {
  const signal = options?.signal;
  async function* items(most = Number.POSITIVE_INFINITY): AsyncGenerator<ItemOf<Page>> {
    const limit = (input as { limit?: number } | undefined)?.limit;
    let left = most;
    let cursor: string | null | undefined = input?.cursor;
    while (left > 0) {
      const page: Page = await procedure.query(
        {
          ...input,
          // The last page needn't be longer than what is still wanted.
          ...(left < (limit ?? DEFAULT_LIMIT) ? { limit: left } : {}),
          ...(cursor ? { cursor } : {}),
        } as Input,
        signal ? { signal } : undefined,
      );
      for (const item of itemsOf(page)) {
        if (left-- <= 0) return;
        yield item;
      }
      cursor = page.nextCursor;
      if (cursor === null) return;
    }
  }
  return {
    [Symbol.asyncIterator]: () => items(),
    toArray: async ({ max } = {}) => {
      const all: ItemOf<Page>[] = [];
      for await (const item of items(max)) all.push(item);
      return all;
    },
  };
}

/** The service's page size when `limit` is absent. */
const DEFAULT_LIMIT = 50;

/** The one array of a page. */
const itemsOf = <Page extends AnyPage>(page: Page): ItemOf<Page>[] =>
  (Object.values(page).find(Array.isArray) ?? []) as ItemOf<Page>[];
