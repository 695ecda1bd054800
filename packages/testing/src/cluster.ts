import { setTimeout } from "node:timers/promises";
import { distributeDatabase } from "@minutes/db";
import postgres from "postgres";
import { generateName, runServerStatement, toDatabaseUrl } from "./template.js";

/** Number of shards per table: few, because every suite has its own database. */
const SHARDS = 4;

/** Returns the URL of `TEST_CITUS_URL` for each server of the cluster, the coordinator first. */
async function listServers(coordinatorUrl: string): Promise<string[]> {
  const client = postgres(coordinatorUrl, { max: 1, fetch_types: false, onnotice: () => {} });
  try {
    const workers = await client<{ name: string; port: number }[]>`
      select node_name as name, node_port as port from citus_get_active_worker_nodes() order by 1, 2`;
    return [
      coordinatorUrl,
      ...workers.map(({ name, port }) => {
        const url = new URL(coordinatorUrl);
        url.hostname = name;
        url.port = String(port);
        return url.href;
      }),
    ];
  } finally {
    await client.end({ timeout: 5 });
  }
}

const onAll = (servers: readonly string[], run: (server: string) => Promise<void>) =>
  Promise.all(servers.map(run));

/** Creates a database on all servers of a cluster, with the first one as coordinator. */
async function createEmpty(servers: readonly string[], name: string): Promise<void> {
  await onAll(servers, async (server) => {
    await runServerStatement(server, `CREATE DATABASE ${name}`);
    await runServerStatement(
      toDatabaseUrl(server, name),
      "CREATE EXTENSION citus; CREATE EXTENSION IF NOT EXISTS vector",
    );
  });
  const [coordinator = "", ...workers] = servers;
  const toNode = (server: string) => `'${new URL(server).hostname}', ${new URL(server).port || 5432}`;
  for (const statement of [
    `SELECT citus_set_coordinator_host(${toNode(coordinator)})`,
    ...workers.map((worker) => `SELECT citus_add_node(${toNode(worker)})`),
  ])
    await runServerStatement(toDatabaseUrl(coordinator, name), statement);
}

/** Maximum attempts of a statement while the cluster's own sessions end, and the delay between them in ms. */
const ATTEMPTS = 100;
const PAUSE = 100;

/** Ends all sessions of a database, including the cluster's own, and runs a statement that requires that. */
async function runWithoutSessions(server: string, name: string, statement: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await runServerStatement(
      server,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
    );
    try {
      return await runServerStatement(server, statement);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      await setTimeout(PAUSE);
    }
  }
}

/** Drops a database on all servers of a cluster. */
export const dropOnCluster = async (coordinatorUrl: string, name: string): Promise<void> => {
  await onAll(await listServers(coordinatorUrl), (server) =>
    runWithoutSessions(server, name, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  );
};

/** Creates a migrated database with distributed tables, as a template. */
export async function makeClusterTemplate(
  coordinatorUrl: string,
): Promise<{ name: string; remove(): Promise<void> }> {
  const name = generateName();
  const servers = await listServers(coordinatorUrl);
  const remove = () => dropOnCluster(coordinatorUrl, name);
  try {
    await createEmpty(servers, name);
    await distributeDatabase(toDatabaseUrl(coordinatorUrl, name), { shards: SHARDS });
    await onAll(servers, (server) =>
      runServerStatement(server, `ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`),
    );
  } catch (error) {
    await remove();
    throw error;
  }
  return { name, remove };
}

/** Copies a template on all servers of a cluster. */
export async function copyOnCluster(coordinatorUrl: string, template: string, name: string): Promise<void> {
  await onAll(await listServers(coordinatorUrl), (server) =>
    runWithoutSessions(server, template, `CREATE DATABASE ${name} TEMPLATE ${template}`),
  );
}
