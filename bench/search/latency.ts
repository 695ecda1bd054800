import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { toSearchScope, visibleTo } from "@minutes/core";
import { type EmbeddingModel, explainSearch } from "@minutes/search";
import { sql } from "drizzle-orm";
import { formatPercentiles } from "../requests/load.js";
import { copyMeetings } from "./copies.js";
import { readMeetings, readSplit } from "./dataset.js";
import { MODES, type Service, startService } from "./service.js";

/**
 * `pnpm bench:search:latency`: how long a search takes with so many chunks to see, through the public API, and again with
 * other tenants' chunks beside them. Sizes beyond the data are made of copies. Queries have the model's vectors. Those of
 * chunks are random: a search takes as long, and encoding would take half an hour.
 */
const { values: options } = parseArgs({
  options: {
    data: { type: "string" },
    with: { type: "string" },
    engine: { type: "string", multiple: true },
    mode: { type: "string", default: "builtin" },
    chunks: { type: "string", multiple: true, default: ["1500", "7000", "50000"] },
    foreign: { type: "string", default: "0" },
    queries: { type: "string", default: "100" },
    characters: { type: "string" },
    plans: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const USAGE = `[DATABASE_URL=postgres://…] pnpm bench:search:latency --data <split> [options]
  --data val               a split of the search benchmark: its meetings and queries
  --with train             another split's meetings
  --engine postgres        one engine; also "embedded"
  --mode words             without the model
  --chunks 1500            a number of chunks to see; repeat it for more (default 1500, 7000 and 50000)
  --foreign 1000000        again with so many chunks of others
  --queries 100
  --characters 1000        makes each query this long, of several
  --plans                  prints the plan of the slowest query`;
if (options.help || !options.data) {
  console.log(USAGE);
  process.exit(options.help ? 0 : 2);
}
const split = readSplit(resolve(options.data));
const meetings = [...split.meetings, ...(options.with ? readMeetings(resolve(options.with)) : [])];
const texts = split.queries.map(({ text }) => text);
const queries = texts
  .slice(0, Number(options.queries))
  .map((text, at) => (options.characters ? lengthen(at, Number(options.characters)) : text));
const mode = MODES.find((known) => known === options.mode);
if (!mode) throw new Error(`--mode is one of ${MODES.join(", ")}`);
const url = process.env.DATABASE_URL;
const SOURCE = "source@example.com";
const RANGE = { startDate: "2020-01-01", endDate: "2030-01-01" };
/** Copies of the source per other tenant. */
const COPIES = 20;

for (const engine of options.engine ?? (url ? ["embedded", "postgres"] : ["embedded"])) {
  if (engine === "postgres" && !url) throw new Error("DATABASE_URL names no PostgreSQL server.");
  const service = await startService(engine === "postgres" ? { url } : {}, mode, withRandomChunks);
  try {
    await measure(engine, service);
  } finally {
    await service.close();
  }
}

async function measure(engine: string, service: Service): Promise<void> {
  const { db } = service.connection;
  await service.createPerson(SOURCE);
  for (const meeting of meetings) await service.import(SOURCE, meeting);
  await service.waitForVectors();
  const have = await countChunks(service, SOURCE);
  const foreign = Math.ceil(Number(options.foreign) / have);
  for (const rival of foreign > 0 ? [0, foreign] : [0]) {
    for (let at = 0; at < rival; at += COPIES) {
      const email = `other${at}@example.com`;
      await service.createPerson(email);
      await copyMeetings(db, SOURCE, email, Math.min(COPIES, rival - at));
    }
    for (const size of options.chunks.map(Number)) {
      const email = `reader${size}-${rival}@example.com`;
      const reader = await service.createPerson(email);
      await createChunks(service, email, size, have);
      await service.waitForVectors();
      await db.execute(sql`analyze`);
      const visible = await countChunks(service, email);
      const setup = `${engine}, ${mode}, ${visible} chunks visible, ${rival * have} of others`;
      const { times, slowest } = await measureSearches(service, reader.key);
      console.log(`${setup}: ${formatPercentiles(times)}`);
      if (!options.plans) continue;
      const plan = await explainSearch(db, toSearchScope(visibleTo(reader)), { query: slowest, ...RANGE });
      console.log(`${setup}: the plan of ${JSON.stringify(slowest)}\n${plan.join("\n")}`);
    }
  }
}

async function measureSearches(service: Service, key: string): Promise<{ times: number[]; slowest: string }> {
  const times: number[] = [];
  for (const text of queries.slice(0, 10)) await service.search(key, text, RANGE.startDate, RANGE.endDate);
  for (const text of queries) {
    const began = performance.now();
    await service.search(key, text, RANGE.startDate, RANGE.endDate);
    times.push(performance.now() - began);
  }
  return { times, slowest: queries[times.indexOf(Math.max(...times))] ?? "" };
}

/** Makes a query of so many characters of the query at a position and those after it. */
function lengthen(position: number, characters: number): string {
  return [...texts.slice(position), ...texts].join(" ").slice(0, characters);
}

/** Gives a person about this number of chunks: as many full copies of all meetings as fit, then some of them. */
async function createChunks(service: Service, email: string, size: number, have: number): Promise<void> {
  const whole = Math.floor(size / have);
  if (whole > 0) await copyMeetings(service.connection.db, SOURCE, email, whole);
  for (const meeting of meetings) {
    if ((await countChunks(service, email)) >= size) break;
    await service.import(email, meeting);
  }
}

async function countChunks(service: Service, email: string): Promise<number> {
  const [row] = await service.connection.db
    .select({ chunks: sql<number>`coalesce(sum(d.chunks), 0)::int` })
    .from(sql`search_documents d join meetings m on m.id = d.meeting_id join users u on u.id = m.user_id`)
    .where(sql`u.email = ${email}`);
  return row?.chunks ?? 0;
}

/** Gives chunks random vectors, of the dimensions of the model's, and queries their own. */
function withRandomChunks(model: EmbeddingModel): EmbeddingModel {
  let dimensions: Promise<number> | null = null;
  return {
    ...model,
    embed: async (texts, kind, signal) => {
      if (kind === "query") return model.embed(texts, kind, signal);
      dimensions ??= model.embed(["."], kind, signal).then(([vector]) => vector?.length ?? 0);
      const length = await dimensions;
      return texts.map(() => Array.from({ length }, () => Math.random() - 0.5));
    },
  };
}
