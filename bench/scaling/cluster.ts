import { randomBytes } from "node:crypto";
import postgres from "postgres";

/** Runs statements on one server, each by itself. */
async function run(url: string, ...statements: string[]): Promise<void> {
  const client = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} });
  try {
    for (const statement of statements) await client.unsafe(statement);
  } finally {
    await client.end({ timeout: 5 });
  }
}

const toDatabase = (url: string, name: string): string =>
  Object.assign(new URL(url), { pathname: `/${name}` }).href;

const toNode = (url: string): string => `'${new URL(url).hostname}', ${new URL(url).port || 5432}`;

/** Two databases on one cluster: on the coordinator alone, and a copy of it that can be spread over all servers. */
export interface TwoDatabases {
  readonly alone: string;
  /** The second database's address on each server, the coordinator's first. */
  readonly nodes: readonly string[];
  /** Copies the first database, while nobody is connected to it, and makes the copy one that knows the workers. */
  copy(): Promise<void>;
  drop(): Promise<void>;
}

/** Creates the first database. @param coordinatorUrl a database of the coordinator that knows the workers */
export async function createTwoDatabases(coordinatorUrl: string): Promise<TwoDatabases> {
  const mark = randomBytes(3).toString("hex");
  const [alone, spread] = [`bench_alone_${mark}`, `bench_spread_${mark}`];
  const client = postgres(coordinatorUrl, { max: 1, fetch_types: false, onnotice: () => {} });
  const workers = await client<{ host: string; port: number }[]>`
    select node_name as host, node_port as port from citus_get_active_worker_nodes() order by 2`;
  await client.end();
  const workerUrls = workers.map(
    ({ host, port }) => Object.assign(new URL(coordinatorUrl), { hostname: host, port: String(port) }).href,
  );
  const servers = [coordinatorUrl, ...workerUrls];
  const nodes = servers.map((server) => toDatabase(server, spread));
  await run(coordinatorUrl, `create database ${alone}`);
  return {
    alone: toDatabase(coordinatorUrl, alone),
    nodes,
    copy: async () => {
      await run(coordinatorUrl, `create database ${spread} template ${alone}`);
      for (const worker of workerUrls) await run(worker, `create database ${spread}`);
      for (const node of nodes)
        await run(node, "create extension if not exists citus", "create extension if not exists vector");
      await run(
        nodes[0] ?? "",
        `select citus_set_coordinator_host(${toNode(coordinatorUrl)})`,
        ...workerUrls.map((worker) => `select citus_add_node(${toNode(worker)})`),
      );
    },
    drop: async () => {
      for (const server of servers) await run(server, `drop database if exists ${spread} with (force)`);
      await run(coordinatorUrl, `drop database if exists ${alone} with (force)`);
    },
  };
}
