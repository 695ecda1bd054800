import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { copyMeetings } from "./copies.js";
import { readMeetings, readSplit } from "./dataset.js";
import { percentiles } from "./percentiles.js";
import { startService } from "./service.js";

/**
 * `pnpm bench:search:latency --data <split> --with <split> [--engine embedded|postgres] [--chunks 1500 --chunks 7000]
 * [--foreign 1000000] [--queries 100]`
 *
 * How long a search takes with so many excerpts to see, through the public API, with and without other tenants'
 * excerpts beside them. Sizes beyond the data are made of copies.
 */
const { values: options } = parseArgs({
  options: {
    data: { type: "string" },
    with: { type: "string" },
    engine: { type: "string", default: "postgres" },
    chunks: { type: "string", multiple: true, default: ["1500", "7000", "50000"] },
    foreign: { type: "string", default: "0" },
    queries: { type: "string", default: "100" },
    explain: { type: "string" },
  },
});
if (!options.data) throw new Error("--data names the directory of a split");
const split = readSplit(resolve(options.data));
const meetings = [...split.meetings, ...(options.with ? readMeetings(resolve(options.with)) : [])];
const queries = split.queries.slice(0, Number(options.queries));
const service = await startService(options.engine === "postgres" ? process.env.DATABASE_URL : undefined);
const { db } = service.connection;
const count = async (email: string): Promise<number> => {
  const result = await service.connection.db.execute(
    `select coalesce(sum(d.chunks), 0)::int as chunks from search_documents d join meetings m on m.id = d.meeting_id
     join users u on u.id = m.user_id where u.email = '${email}'`,
  );
  const rows = (Array.isArray(result) ? result : (result as unknown as { rows: unknown[] }).rows) as {
    chunks: number;
  }[];
  return rows[0]?.chunks ?? 0;
};

const source = "source@example.com";
await service.person(source);
for (const meeting of meetings) await service.import(source, meeting);
const have = await count(source);
const foreign = Math.ceil(Number(options.foreign) / have);

for (const rival of [0, foreign]) {
  for (let at = 0; at < rival; at += 20) {
    const email = `other${at}@example.com`;
    await service.person(email);
    await copyMeetings(db, source, email, Math.min(20, rival - at));
  }
  if (rival > 0) console.log(`${rival * have} excerpts of others`);
  for (const size of options.chunks.map(Number)) {
    const email = `reader${size}-${rival}@example.com`;
    const { key } = await service.person(email);
    const whole = Math.floor(size / have);
    if (whole > 0) await copyMeetings(db, source, email, whole);
    if (whole === 0) {
      let chunks = 0;
      for (const meeting of meetings) {
        if (chunks >= size) break;
        await service.import(email, meeting);
        chunks = await count(email);
      }
    }
    await db.execute("analyze");
    const times: number[] = [];
    for (const { text } of queries.slice(0, 10)) await service.search(key, text, "2020-01-01", "2030-01-01");
    for (const { text } of queries) {
      const began = performance.now();
      await service.search(key, text, "2020-01-01", "2030-01-01");
      times.push(performance.now() - began);
    }
    console.log(`${options.engine}, ${await count(email)} excerpts visible: ${percentiles(times)}`);
  }
  if (foreign === 0) break;
}
await service.close();
