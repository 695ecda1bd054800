/**
 * `pnpm bench`: lists on PostgreSQL, side by side with a bare handler in one run, at 10,000 and at 1,000,000
 * meetings. Figures are medians of interleaved rounds; ratios are what counts, the machine is noisy.
 */
import { parseArgs } from "node:util";
import { type Dataset, prepareDataset } from "./dataset.js";
import { computeMedian, computeQuantile, runBurst } from "./load.js";
import { type Subject, startSubject } from "./subject.js";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    seconds: { type: "string", default: "2" },
    connections: { type: "string", default: "16" },
    sizes: { type: "string", default: "10000,1000000" },
    profile: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const serverUrl = process.env.BENCH_DATABASE_URL;
if (options.help || !serverUrl) {
  console.log(
    "BENCH_DATABASE_URL=postgres://… pnpm bench [--rounds 7] [--seconds 2] [--connections 16] [--sizes 10000,1000000]\n" +
      "  [--profile] [--json]\n" +
      "--profile names the ten dearest functions of each route.\n" +
      "Needs a PostgreSQL server on which databases can be made; the data stays there for the next run.",
  );
  process.exit(options.help ? 0 : 2);
}
const RATE_LIMIT = 1_000_000_000;
const POOL = 10;
const rounds = Number(options.rounds);
const connections = Number(options.connections);

const settings = (url: string) => ({
  DATABASE_URL: url,
  DATABASE_POOL: String(POOL),
  RATE_LIMIT_PER_MINUTE: String(RATE_LIMIT),
  LOG_LEVEL: "info",
});

const toRequest = (path: string, key?: string) =>
  Buffer.from(`GET ${path} HTTP/1.1\r\nHost: bench\r\n${key ? `x-api-key: ${key}\r\n` : ""}\r\n`);

/** Lists what is measured on one dataset: a name, the process, and the requests that it gets in turn. */
const listCases = ({ people, workspaceId, workspaceKey }: Dataset, bare: Subject, minutes: Subject) => {
  const hot = people.slice(50, 51);
  const toListRequests = (some: Dataset["people"]) =>
    some.map(({ key }) => toRequest("/v1/me/meetings.list", key));
  return [
    {
      route: "me/meetings.list",
      variant: "bare",
      subject: bare,
      requests: people.map(({ userId }) => toRequest(`/mine/${userId}`)),
    },
    {
      route: "me/meetings.list",
      variant: "minutes, many keys",
      subject: minutes,
      requests: toListRequests(people),
    },
    {
      route: "me/meetings.list",
      variant: "minutes, one hot key",
      subject: minutes,
      requests: toListRequests(hot),
    },
    {
      route: "workspace/meetings.list",
      variant: "bare",
      subject: bare,
      requests: [toRequest(`/meetings/${workspaceId}`)],
    },
    {
      route: "workspace/meetings.list",
      variant: "minutes, one hot key",
      subject: minutes,
      requests: [toRequest("/v1/workspace/meetings.list", workspaceKey)],
    },
    {
      route: "workspace/tasks.list",
      variant: "bare",
      subject: bare,
      requests: [toRequest(`/tasks/${workspaceId}`)],
    },
    {
      route: "workspace/tasks.list",
      variant: "minutes, one hot key",
      subject: minutes,
      requests: [toRequest("/v1/workspace/tasks.list", workspaceKey)],
    },
  ];
};

type Case = ReturnType<typeof listCases>[number];
type Measured = Case & { size: number; rps: number[]; cpu: number[]; p50: number[]; p95: number[] };

const subjects: Subject[] = [];
const cases: Measured[] = [];
const datasets: { size: number; people: number }[] = [];
for (const size of options.sizes.split(",").map(Number)) {
  console.error(`preparing ${size.toLocaleString("en")} meetings …`);
  const dataset = await prepareDataset(serverUrl, size);
  datasets.push({ size, people: dataset.people.length });
  const bare = await startSubject("./bare-server.ts", settings(dataset.url));
  const minutes = await startSubject("./minutes-server.ts", settings(dataset.url));
  subjects.push(bare, minutes);
  cases.push(
    ...listCases(dataset, bare, minutes).map((each) => ({
      ...each,
      size,
      rps: [] as number[],
      cpu: [] as number[],
      p50: [] as number[],
      p95: [] as number[],
    })),
  );
}
for (const { subject, requests } of cases) await runBurst(subject.port, requests, connections, 1_500);
for (let round = 1; round <= rounds; round++) {
  console.error(`round ${round} of ${rounds}`);
  // Every other round runs backwards, so that drift of the machine hits all alike.
  for (const each of round % 2 ? cases : cases.toReversed()) {
    const before = await each.subject.readCpuTime();
    const { requests, seconds, latencies } = await runBurst(
      each.subject.port,
      each.requests,
      connections,
      Number(options.seconds) * 1000,
    );
    each.cpu.push(((await each.subject.readCpuTime()) - before) / requests / 1000);
    each.rps.push(requests / seconds);
    each.p50.push(computeQuantile(latencies, 0.5));
    each.p95.push(computeQuantile(latencies, 0.95));
  }
}
const profiles = [];
if (options.profile)
  for (const { size, route, variant, subject, requests } of cases)
    profiles.push({
      size,
      route,
      variant,
      functions: await subject.profile(() =>
        runBurst(subject.port, requests, connections, Number(options.seconds) * 1000),
      ),
    });
for (const subject of subjects) subject.stop();

const rows = cases.map(({ route, variant, size, ...measured }) => {
  const bare = cases.find(
    (other) => other.route === route && other.size === size && other.variant === "bare",
  );
  const small = cases.find((other) => other.route === route && other.variant === variant);
  const mine = cases.find((other) => other.size === size && other.variant.startsWith("minutes"));
  return {
    route,
    meetings: size,
    variant,
    "req/s": Math.round(computeMedian(measured.rps)),
    "× bare req/s": computeRatio(measured.rps, bare?.rps),
    "cpu ms/req": Number(computeMedian(measured.cpu).toFixed(3)),
    "× bare cpu": computeRatio(measured.cpu, bare?.cpu),
    "p50 ms": Number(computeMedian(measured.p50).toFixed(2)),
    "p95 ms": Number(computeMedian(measured.p95).toFixed(2)),
    "p95 × smallest": computeRatio(measured.p95, small?.p95),
    "p95 × me/list": variant === "bare" ? null : computeRatio(measured.p95, mine?.p95),
  };
});

/** Computes the median of the rounds' own ratios: both sides of each were measured within the same seconds. */
function computeRatio(values: readonly number[], base: readonly number[] | undefined): number | null {
  return base
    ? Number(computeMedian(values.map((value, at) => value / (base[at] ?? Number.NaN))).toFixed(2))
    : null;
}

if (options.json)
  console.log(
    JSON.stringify(
      { connections, rounds, rateLimit: RATE_LIMIT, pool: POOL, datasets, rows, profiles },
      null,
      2,
    ),
  );
else {
  console.log(
    `${connections} connections, ${rounds} rounds of ${options.seconds} s, RATE_LIMIT_PER_MINUTE=${RATE_LIMIT}, DATABASE_POOL=${POOL}`,
  );
  for (const { size, people } of datasets)
    console.log(`${size.toLocaleString("en")} meetings: "many keys" are ${people}`);
  console.table(rows);
  for (const { size, route, variant, functions } of profiles) {
    console.log(`\n${route}, ${variant}, ${size.toLocaleString("en")} meetings`);
    for (const { name, part } of functions)
      console.log(`  ${(part * 100).toFixed(1).padStart(5)} %  ${name}`);
  }
}
