// Measures sequential calls from a separate process. Its parent sends { url, headers, milliseconds } and gets { calls,
// median, p95, longest, statuses }, times in ms.
import { setTimeout as sleep } from "node:timers/promises";

const PAUSE = 5;

process.on("message", async ({ url, headers, milliseconds }) => {
  const times = [];
  const statuses = new Set();
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    const began = performance.now();
    const response = await fetch(url, { headers });
    await response.arrayBuffer();
    times.push(performance.now() - began);
    statuses.add(response.status);
    await sleep(PAUSE);
  }
  times.sort((a, b) => a - b);
  const at = (share) => Math.round((times[Math.floor(share * (times.length - 1))] ?? 0) * 10) / 10;
  process.send({
    calls: times.length,
    median: at(0.5),
    p95: at(0.95),
    longest: at(1),
    statuses: [...statuses],
  });
});
process.once("disconnect", () => process.exit(0));
