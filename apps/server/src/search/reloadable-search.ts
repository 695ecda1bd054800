import { startLoop } from "@minutes/background";
import type { SimilaritySearch } from "@minutes/search";

/** The search mode currently chosen by the settings and the database. */
export interface SearchChoice {
  /** Identifies the choice. */
  readonly key: string;
  readonly build: () => Promise<SimilaritySearch>;
}

/** Search whose model can be changed while the process runs. */
export interface ReloadableSearch extends SimilaritySearch {
  /** Checks the current choice, and switches to it; `again` reloads it even if it is unchanged. */
  refresh(again?: boolean): Promise<void>;
}

/** Interval in ms between checks for a model chosen by another process. */
const INTERVAL = 5_000;

/**
 * Creates search in the mode returned by `choose`, which is polled. Running searches end with the model they began
 * with; vectors are recreated in the background.
 */
export async function createReloadableSearch(choose: () => Promise<SearchChoice>): Promise<ReloadableSearch> {
  const first = await choose();
  let key = first.key;
  let current = await first.build();
  let start: ((search: SimilaritySearch) => () => Promise<void>) | null = null;
  let stopCurrent = async () => {};
  let refreshing: Promise<void> = Promise.resolve();

  const change = async (again: boolean) => {
    const choice = await choose();
    if (choice.key === key && !again) return;
    const next = await choice.build();
    key = choice.key;
    current = next;
    await stopCurrent();
    stopCurrent = start ? start(next) : async () => {};
  };
  const refresh = (again = false) => {
    refreshing = refreshing.catch(() => {}).then(() => change(again));
    return refreshing;
  };
  return {
    state: () => current.state(),
    embedQuery: (text) => current.embedQuery(text),
    refresh,
    startEmbedding(database) {
      start = (search) => search.startEmbedding(database);
      stopCurrent = start(current);
      const loop = startLoop({
        onFault: () => {}, // if the database is unavailable, search reports it
        faultPause: INTERVAL,
        step: async () => {
          await refresh();
          return INTERVAL;
        },
      });
      return async () => {
        await loop.stop();
        await refreshing.catch(() => {});
        await stopCurrent();
      };
    },
  };
}
