/** Formats durations in ms as `p50 3.1 ms, p95 7.0 ms, worst 9.2 ms (200 calls)`. */
export function formatPercentiles(times: readonly number[]): string {
  const sorted = [...times].sort((left, right) => left - right);
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, worst ${at(1)} ms (${sorted.length} calls)`;
}
