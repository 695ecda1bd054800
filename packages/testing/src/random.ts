/** A reproducible source of random choices. */
export interface Random {
  /** Returns an integer from 0 to `below` - 1. */
  int(below: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** Returns an item, or null if there is none. */
  any<Item>(items: readonly Item[]): Item | null;
}

/** Creates a generator from a seed (Mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (below: number) => Math.floor(next() * below);
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[int(items.length)];
    if (items.length === 0) throw new Error("Nothing to pick from.");
    return item as Item;
  };
  return {
    int,
    chance: (probability) => next() < probability,
    pick,
    any: (items) => (items.length === 0 ? null : pick(items)),
  };
}
