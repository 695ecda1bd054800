import type { Case } from "./cases.js";
import { computeMedian } from "./load.js";
import type { Subject } from "./subject.js";

/** A case with the process that answers it and what was measured in each round. */
export interface Measured extends Case {
  readonly size: number;
  readonly connections: number;
  readonly subject: Subject;
  /** Reads the processor time of the database's connections, in microseconds. */
  readonly readDatabaseTime: () => Promise<number>;
  readonly rps: number[];
  /** Milliseconds a request. */
  readonly cpu: number[];
  /** The same together with the database's connections. */
  readonly allCpu: number[];
  readonly p50: number[];
  readonly p95: number[];
}

/** Writes the medians of each case, and their ratios to the bare handler's of the same rounds. */
export const toTable = (cases: readonly Measured[]) =>
  cases.map((each) => {
    const { route, variant, size, connections } = each;
    const alike = cases.filter((other) => other.route === route && other.connections === connections);
    const bare = alike.find((other) => other.size === size && other.variant === "bare");
    const small = alike.find((other) => other.variant === variant);
    const ratios = computeRatios(each.cpu, bare?.cpu);
    return {
      route,
      meetings: size,
      connections,
      variant,
      "req/s": Math.round(computeMedian(each.rps)),
      "× bare req/s": toMedian(computeRatios(each.rps, bare?.rps)),
      "cpu ms": Number(computeMedian(each.cpu).toFixed(3)),
      "× bare cpu": toMedian(ratios),
      // Of each side's cheapest round: what else the machine does only adds to processor time.
      "× bare least cpu": Number((Math.min(...each.cpu) / Math.min(...(bare?.cpu ?? []))).toFixed(2)),
      // The least and the greatest of the rounds: how far the figure can be trusted.
      spread: `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
      "cpu ms with database": Number(computeMedian(each.allCpu).toFixed(3)),
      "× bare with database": toMedian(computeRatios(each.allCpu, bare?.allCpu)),
      "p50 ms": Number(computeMedian(each.p50).toFixed(2)),
      "× bare p50": toMedian(computeRatios(each.p50, bare?.p50)),
      "p95 ms": Number(computeMedian(each.p95).toFixed(2)),
      "p95 × smallest": toMedian(computeRatios(each.p95, small?.p95)),
    };
  });

/** Computes the rounds' own ratios: both sides of each were measured within the same seconds. */
const computeRatios = (values: readonly number[], base: readonly number[] = []): number[] =>
  values.map((value, at) => value / (base[at] ?? Number.NaN));

const toMedian = (values: readonly number[]): number => Number(computeMedian(values).toFixed(2));
