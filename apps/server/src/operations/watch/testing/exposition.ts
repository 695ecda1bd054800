/** One metric of a scrape. */
export interface Scraped {
  readonly type: string;
  readonly help: string;
  /** By the sample's name with its labels, verbatim. */
  readonly samples: ReadonlyMap<string, number>;
}

const VALUE = /^[+-]?(\d[\d.e+-]*|Inf|NaN)$/i;
const SAMPLE = /^([a-z_][a-z0-9_]*)(\{(?:[a-z_]+="(?:[^"\\\n]|\\.)*",?)*\})? (\S+)$/;

/** Parses Prometheus text format. @throws Error for a malformed line, or one of an unknown metric */
export function parseExposition(text: string): Map<string, Scraped> {
  const metrics = new Map<string, { type: string; help: string; samples: Map<string, number> }>();
  for (const line of text.split("\n").filter(Boolean)) {
    const [, kind, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === "HELP") metrics.set(name, { type: "", help: rest, samples: new Map() });
    else if (kind === "TYPE") Object.assign(metrics.get(name) ?? {}, { type: rest });
    else {
      const [, sample = "", labels = "", value = ""] = SAMPLE.exec(line) ?? [];
      const metric = metrics.get(sample) ?? metrics.get(sample.replace(/_(bucket|sum|count)$/, ""));
      if (!metric || !VALUE.test(value)) throw new Error(`Not a sample: ${line}`);
      metric.samples.set(sample + labels, value === "+Inf" ? Number.POSITIVE_INFINITY : Number(value));
    }
  }
  return metrics;
}

/** Lists violations of Prometheus naming conventions, as `promtool check metrics` does. */
export function lintMetric(name: string, { type, help, samples }: Scraped): string[] {
  const problems = [
    [help === "", "has no help text"],
    [!/^[a-z][a-z0-9_]*$/.test(name), "has a name with other characters than a-z, 0-9 and _"],
    [(type === "counter") !== name.endsWith("_total"), "_total belongs to counters and to them alone"],
    [/_(bucket|sum|count)$/.test(name), "has an end that is kept for histograms"],
    [/milliseconds|minutes_\w*_minutes|kilobytes|_ms$|_mb$/.test(name), "is not in a base unit"],
    [type === "histogram" && !/_(seconds|bytes)$/.test(name), "does not name its unit"],
    [
      type === "histogram" &&
        samples.size > 0 &&
        ![...samples.keys()].some((key) => key.includes('le="+Inf"')),
      "lacks the bucket +Inf",
    ],
  ] as const;
  return problems.flatMap(([isWrong, problem]) => (isWrong ? [`${name} ${problem}`] : []));
}
