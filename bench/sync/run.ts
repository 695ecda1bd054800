/**
 * `pnpm bench:sync`: the cost of the change feed: a month-old cursor; imports and task updates with and without the
 * feed's triggers and indexes; commits with and without its notifications; and waiting callers. With `--shared` these
 * are colleagues of somebody who shares a tag with all of them and changes other meetings, with `--open` there are
 * concurrent transactions of this many ms in another database. On PostgreSQL, in a separate database.
 */
import { parseArgs } from "node:util";
import { connectPostgres } from "@minutes/db";
import postgres from "postgres";
import { measureCommits } from "./commits.js";
import { measureMonth } from "./month.js";
import { measureWaiting } from "./waiting.js";
import { measureWrites } from "./writes.js";

const { values: options } = parseArgs({
  options: {
    meetings: { type: "string", default: "100000" },
    changes: { type: "string", default: "1000" },
    rounds: { type: "string", default: "7" },
    waiting: { type: "string", default: "1000" },
    shared: { type: "boolean", default: false },
    open: { type: "string", default: "0" },
    only: { type: "string", default: "writes,commits,month,waiting" },
    help: { type: "boolean", default: false },
  },
});
const serverUrl = process.env.BENCH_DATABASE_URL;
if (options.help || !serverUrl) {
  console.log(
    "BENCH_DATABASE_URL=postgres://… pnpm bench:sync [--meetings 100000] [--changes 1000] [--rounds 7] [--waiting 1000 [--shared] [--open 200]] [--only writes,commits,month,waiting]",
  );
  process.exit(options.help ? 0 : 1);
}

const server = postgres(serverUrl, { max: 1, onnotice: () => {} });
const name = `sync_bench_${process.pid}`;
await server.unsafe(`CREATE DATABASE ${name}`);
const url = new URL(serverUrl);
url.pathname = `/${name}`;
const connection = await connectPostgres({ url: url.href });
try {
  const only = options.only.split(",");
  if (only.includes("writes")) await measureWrites(connection.db, url.href, Number(options.rounds));
  if (only.includes("commits")) await measureCommits(connection.db, url.href, Number(options.rounds));
  if (only.includes("month"))
    await measureMonth(connection.db, Number(options.meetings), Number(options.changes));
  if (only.includes("waiting"))
    await measureWaiting(connection.db, url, {
      count: Number(options.waiting),
      shared: options.shared,
      open: Number(options.open),
    });
} finally {
  await connection.close();
  await server.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
  await server.end();
}
