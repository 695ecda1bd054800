import { randomBytes } from "node:crypto";
import { distributeDatabase } from "@minutes/db";
import postgres from "postgres";

/** Runs statements on one server, each separately. */
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

/** Two databases on one cluster: one only on the coordinator, and a copy of it that can be distributed. */
export interface TwoDatabases {
  readonly alone: string;
  /** The second database's URL on each server, the coordinator first. */
  readonly nodes: readonly string[];
  /** Copies the first database, which must have no connections, and registers the workers in the copy. */
  copy(): Promise<void>;
  drop(): Promise<void>;
}

interface Cluster {
  /** URLs of the servers, the coordinator first. */
  readonly servers: readonly string[];
  /**
   * Creates a database on all servers and registers the workers. @param template a database of the coordinator to copy
   */
  create(name: string, template?: string): Promise<void>;
  drop(name: string): Promise<void>;
}

/** Finds the servers of a cluster, at most some of its workers. @param coordinatorUrl a database of the coordinator that knows them */
async function findCluster(coordinatorUrl: string, atMost = Number.POSITIVE_INFINITY): Promise<Cluster> {
  const client = postgres(coordinatorUrl, { max: 1, fetch_types: false, onnotice: () => {} });
  const workers = await client<{ host: string; port: number }[]>`
    select node_name as host, node_port as port from citus_get_active_worker_nodes() order by 2`;
  await client.end();
  const workerUrls = workers
    .slice(0, atMost)
    .map(
      ({ host, port }) => Object.assign(new URL(coordinatorUrl), { hostname: host, port: String(port) }).href,
    );
  const servers = [coordinatorUrl, ...workerUrls];
  return {
    servers,
    create: async (name, template) => {
      await run(coordinatorUrl, `create database ${name}${template ? ` template ${template}` : ""}`);
      for (const worker of workerUrls) await run(worker, `create database ${name}`);
      for (const server of servers)
        await run(
          toDatabase(server, name),
          "create extension if not exists citus",
          "create extension if not exists vector",
        );
      await run(
        toDatabase(coordinatorUrl, name),
        `select citus_set_coordinator_host(${toNode(coordinatorUrl)})`,
        ...workerUrls.map((worker) => `select citus_add_node(${toNode(worker)})`),
      );
    },
    drop: async (name) => {
      for (const server of servers) await run(server, `drop database if exists ${name} with (force)`);
    },
  };
}

const makeMark = (): string => randomBytes(3).toString("hex");

/** Creates the first database. @param coordinatorUrl a database of the coordinator that knows the workers */
export async function createTwoDatabases(coordinatorUrl: string): Promise<TwoDatabases> {
  const mark = makeMark();
  const [alone, spread] = [`bench_alone_${mark}`, `bench_spread_${mark}`];
  const cluster = await findCluster(coordinatorUrl);
  await run(coordinatorUrl, `create database ${alone}`);
  return {
    alone: toDatabase(coordinatorUrl, alone),
    nodes: cluster.servers.map((server) => toDatabase(server, spread)),
    copy: () => cluster.create(spread, alone),
    drop: async () => {
      await cluster.drop(spread);
      await run(coordinatorUrl, `drop database if exists ${alone} with (force)`);
    },
  };
}

/**
 * Creates a database whose tables are distributed over a cluster; `drop` removes it.
 * @param workers the maximum number of workers
 * @returns its URL, and the same on each server, the coordinator first
 */
export async function createSpreadDatabase(
  coordinatorUrl: string,
  workers?: number,
): Promise<{ url: string; nodes: readonly string[]; drop(): Promise<void> }> {
  const name = `bench_spread_${makeMark()}`;
  const cluster = await findCluster(coordinatorUrl, workers);
  await cluster.create(name);
  const url = toDatabase(coordinatorUrl, name);
  await distributeDatabase(url);
  const nodes = cluster.servers.map((server) => toDatabase(server, name));
  return { url, nodes, drop: () => cluster.drop(name) };
}
