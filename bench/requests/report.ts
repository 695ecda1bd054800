import type { Case } from "./cases.js";
import { computeMedian } from "./load.js";
import type { Subject } from "./subject.js";

/** A case with its process and the measurements of each round. */
export interface Measured extends Case {
  readonly size: number;
  readonly connections: number;
  readonly subject: Subject;
  /** Reads the CPU time of the database's connections, in microseconds. */
  readonly readDatabaseTime: () => Promise<number>;
  readonly rps: number[];
  /** ms per request. */
  readonly cpu: number[];
  /** The same including the database's connections. */
  readonly allCpu: number[];
  readonly p50: number[];
  readonly p95: number[];
}

/**
 * Formats the medians of each case, and their ratios to the bare handler and, with as many keys, to the stock stack in the
 * same rounds.
 */
export const toTable = (cases: readonly Measured[]) =>
  cases.map((each) => {
    const { route, variant, size, connections } = each;
    const alike = cases.filter((other) => other.route === route && other.connections === connections);
    const bare = alike.find((other) => other.size === size && other.variant === "bare");
    const stock = alike
      .filter((other) => other.size === size && other.variant.startsWith("stock"))
      .find((other) => variant === "bare" || other.variant.endsWith(variant));
    const small = alike.find((other) => other.variant === variant);
    const ratios = computeRatios(each.cpu, bare?.cpu);
    return {
      route,
      meetings: size,
      connections,
      variant,
      "req/s": Math.round(computeMedian(each.rps)),
      "× bare req/s": toMedian(computeRatios(each.rps, bare?.rps)),
      "× stock req/s": toMedian(computeRatios(each.rps, stock?.rps)),
      "cpu ms": Number(computeMedian(each.cpu).toFixed(3)),
      "× bare cpu": toMedian(ratios),
      "× stock cpu": toMedian(computeRatios(each.cpu, stock?.cpu)),
      // Of each side's fastest round: other load on the machine only adds CPU time.
      "× bare least cpu": Number((Math.min(...each.cpu) / Math.min(...(bare?.cpu ?? []))).toFixed(2)),
      // Minimum and maximum over the rounds, an indication of the figure's precision.
      spread: `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
      "cpu ms with database": Number(computeMedian(each.allCpu).toFixed(3)),
      "× bare with database": toMedian(computeRatios(each.allCpu, bare?.allCpu)),
      "p50 ms": Number(computeMedian(each.p50).toFixed(2)),
      "× bare p50": toMedian(computeRatios(each.p50, bare?.p50)),
      "p95 ms": Number(computeMedian(each.p95).toFixed(2)),
      "p95 × smallest": toMedian(computeRatios(each.p95, small?.p95)),
    };
  });

/** Computes the ratio per round: both sides of each were measured within the same seconds. */
const computeRatios = (values: readonly number[], base: readonly number[] = []): number[] =>
  values.map((value, at) => value / (base[at] ?? Number.NaN));

const toMedian = (values: readonly number[]): number => Number(computeMedian(values).toFixed(2));
