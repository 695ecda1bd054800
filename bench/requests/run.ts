/**
 * `pnpm bench`: the cost of requests, compared with a bare handler and a stack of stock parts in one run, at 10,000 and
 * 1,000,000 meetings. Figures are medians of interleaved rounds. Compare ratios, because the machine is noisy.
 */
import { isDeepStrictEqual, parseArgs } from "node:util";
import { type Case, listCases } from "./cases.js";
import { createDatabaseClock } from "./database-cpu.js";
import { type Dataset, prepareEmbedded, preparePostgres } from "./dataset.js";
import { type BenchRequest, computeQuantile, fetchAnswer, runBurst } from "./load.js";
import { type Measured, toTable } from "./report.js";
import { type Subject, startSubject } from "./subject.js";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    seconds: { type: "string", default: "2" },
    connections: { type: "string", default: "16" },
    sizes: { type: "string", default: "10000,1000000" },
    routes: { type: "string" },
    embedded: { type: "string" },
    profile: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const serverUrl = process.env.BENCH_DATABASE_URL;
if (options.help || !(serverUrl || options.embedded)) {
  console.log(
    `BENCH_DATABASE_URL=postgres://… pnpm bench [options]
Needs a PostgreSQL server on which databases can be made; the data stays there for the next run.
  --rounds 7  --seconds 2
  --connections 16,64,1    numbers of connections, each measured by itself (default 16)
  --sizes 10000,1000000    numbers of meetings
  --routes list,404        only routes whose names contain one of these
  --embedded DIRECTORY     the embedded engine instead, with its data in that directory
  --profile                names the ten dearest functions of each route
  --json`,
  );
  process.exit(options.help ? 0 : 2);
}
const RATE_LIMIT = 1_000_000_000;
const POOL = 10;
const rounds = Number(options.rounds);
const connectionCounts = options.connections.split(",").map(Number);
const milliseconds = Number(options.seconds) * 1000;

const toSettings = ({ settings }: Dataset) => ({
  ...settings,
  DATABASE_POOL: String(POOL),
  RATE_LIMIT_PER_MINUTE: String(RATE_LIMIT),
  LOG_LEVEL: "info",
});
const prepare = (size: number) =>
  options.embedded ? prepareEmbedded(options.embedded, size) : preparePostgres(serverUrl ?? "", size);
const isWanted = ({ route }: Case) => options.routes?.split(",").some((part) => route.includes(part)) ?? true;

const cases: Measured[] = [];
const closing: (() => unknown)[] = [];
for (const size of options.sizes.split(",").map(Number)) {
  console.error(`preparing ${size.toLocaleString("en")} meetings …`);
  const dataset = await prepare(size);
  // Only one process can open the embedded database's files, so the bare handler has a copy.
  const bareDataset = options.embedded ? await prepareEmbedded(`${options.embedded}/bare`, size) : dataset;
  const bare = await startSubject("./bare-server.ts", toSettings(bareDataset));
  const product = await startSubject("./minutes-server.ts", toSettings(dataset));
  // Drizzle's driver for the embedded engine has no prepared statements, so the comparison would mean little.
  const stock = options.embedded ? null : await startSubject("./stock-server.ts", toSettings(dataset));
  const clock = dataset.settings.DATABASE_URL ? createDatabaseClock(dataset.settings.DATABASE_URL) : null;
  closing.push(
    bare.stop,
    product.stop,
    () => stock?.stop(),
    () => clock?.close(),
  );
  const bareCases = listCases(bareDataset).filter(({ variant }) => variant === "bare");
  for (const each of listCases(dataset).filter(isWanted)) {
    const isBare = each.variant === "bare";
    const asked = isBare ? bareCases.find(({ route }) => route === each.route) : each;
    const subject = isBare ? bare : each.variant.startsWith("stock") ? stock : product;
    if (!subject) continue;
    if (subject === stock) await requireSameAnswers(product, stock, each);
    for (const connections of connectionCounts)
      cases.push({
        ...each,
        requests: asked?.requests ?? each.requests,
        size,
        connections,
        subject,
        readDatabaseTime: clock ? clock.read : async () => 0,
        rps: [],
        cpu: [],
        allCpu: [],
        p50: [],
        p95: [],
      });
  }
}
for (const { subject, requests, connections } of cases)
  await runBurst(subject.port, requests, connections, 1_500);
for (let round = 1; round <= rounds; round++) {
  console.error(`round ${round} of ${rounds}`);
  // Every other round runs backwards, so that drift affects all equally.
  for (const each of round % 2 ? cases : cases.toReversed()) await measure(each);
}

/** Sends a case's first request to the product and the stock stack. @throws if their answers differ */
async function requireSameAnswers(
  product: Subject,
  stock: Subject,
  { route, requests }: Case,
): Promise<void> {
  const [ours, theirs] = await Promise.all(
    [product, stock].map(({ port }) => fetchAnswer(port, requests[0] as BenchRequest)),
  );
  if (!isDeepStrictEqual(ours, theirs)) throw new Error(`${route}: the stock stack answers differently`);
}

async function measure(each: Measured): Promise<void> {
  const readTimes = () => Promise.all([each.subject.readCpuTime(), each.readDatabaseTime()]);
  const [cpuBefore, databaseBefore] = await readTimes();
  const { requests, seconds, latencies } = await runBurst(
    each.subject.port,
    each.requests,
    each.connections,
    milliseconds,
  );
  const [cpuAfter, databaseAfter] = await readTimes();
  const cpu = cpuAfter - cpuBefore;
  each.cpu.push(cpu / requests / 1000);
  each.allCpu.push((cpu + databaseAfter - databaseBefore) / requests / 1000);
  each.rps.push(requests / seconds);
  each.p50.push(computeQuantile(latencies, 0.5));
  each.p95.push(computeQuantile(latencies, 0.95));
}

const profiles = [];
if (options.profile)
  for (const { size, route, variant, subject, requests, connections } of cases) {
    const functions = await subject.profile(() =>
      runBurst(subject.port, requests, connections, milliseconds),
    );
    profiles.push({ size, route, variant, functions });
  }
for (const close of closing) await close();

const rows = toTable(cases);
const conditions = `${rounds} rounds of ${options.seconds} s, RATE_LIMIT_PER_MINUTE=${RATE_LIMIT}, DATABASE_POOL=${POOL}, ${options.embedded ? "embedded" : "PostgreSQL"}`;
if (options.json) console.log(JSON.stringify({ conditions, rows, profiles }, null, 2));
else {
  console.log(conditions);
  console.table(rows);
  for (const { size, route, variant, functions } of profiles) {
    console.log(`\n${route}, ${variant}, ${size.toLocaleString("en")} meetings`);
    for (const { name, part } of functions)
      console.log(`  ${(part * 100).toFixed(1).padStart(5)} %  ${name}`);
  }
}
