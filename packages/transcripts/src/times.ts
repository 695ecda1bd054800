/** `0:07`, `12:34`, `1:02:03`, `00:00:01.500`, `00:00:01,500`, and the `0:0:3.25` of Teams. */
export const TIME = String.raw`\d{1,4}:\d{1,2}(?::\d{1,2})?(?:[.,]\d{1,3})?`;

/** A time with or without brackets. */
export const MAYBE_BRACKETED_TIME = String.raw`(?:\[${TIME}\]|\(${TIME}\)|${TIME})`;

/** Converts a time matched by the patterns above to seconds: `1:02:03` is 3,723 and `12:34` is 754. */
export function parseTime(time: string): number {
  const parts = time
    .replace(/[[\]()@]/g, "")
    .replace(",", ".")
    .split(":");
  const seconds = parts.reduce((total, part) => total * 60 + Number(part), 0);
  return Math.round(seconds * 1000) / 1000;
}

/** Converts times of day to seconds since the first one, across midnight. */
export function toSecondsSinceFirst(times: readonly number[]): number[] {
  const day = 86_400;
  const [first = 0] = times;
  return times.map((time) => (((time - first) % day) + day) % day);
}
