import type { Database } from "@minutes/db";
import type { SimilaritySearch } from "@minutes/search";

/** What search goes by, as the settings and the database say at this moment. */
export interface SearchChoice {
  /** Tells one choice from another. */
  readonly key: string;
  readonly build: () => Promise<SimilaritySearch>;
}

/** Search whose model can be changed while the process runs. */
export interface SwitchableSearch extends SimilaritySearch {
  /** Looks what is chosen now, and changes to it; with `again`, loads it even where it is what was chosen before. */
  refresh(again?: boolean): Promise<void>;
}

/** Milliseconds between looks whether another process has chosen another model. */
const INTERVAL = 5_000;

/**
 * Lets search go by what `choose` says, and looks again from time to time. Searches under way end with the model that
 * they began with; vectors are made again in the background.
 */
export async function createSwitchableSearch(choose: () => Promise<SearchChoice>): Promise<SwitchableSearch> {
  const first = await choose();
  let key = first.key;
  let current = await first.build();
  let db: Database | null = null;
  let stopCurrent = async () => {};
  let refreshing: Promise<void> = Promise.resolve();

  const change = async (again: boolean) => {
    const choice = await choose();
    if (choice.key === key && !again) return;
    const next = await choice.build();
    key = choice.key;
    current = next;
    await stopCurrent();
    stopCurrent = db ? next.startEmbedding(db) : async () => {};
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
      db = database;
      stopCurrent = current.startEmbedding(database);
      // While the database is away, search says so itself, and the next look comes.
      const timer = setInterval(() => void refresh().catch(() => {}), INTERVAL).unref();
      return async () => {
        clearInterval(timer);
        await refreshing.catch(() => {});
        await stopCurrent();
      };
    },
  };
}
