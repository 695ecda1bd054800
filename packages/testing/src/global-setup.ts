import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { makeClusterTemplate } from "./cluster.js";
import { useMemoryDir } from "./memory-dir.js";
import {
  CLUSTER_TEMPLATE,
  makeEmbeddedTemplate,
  makePostgresTemplate,
  TEMPLATE_DATABASE,
  TEMPLATE_FILE,
} from "./template.js";

const MINUTES = fileURLToPath(new URL("../../../apps/server/bin/minutes.js", import.meta.url));

/** Creates one migrated template per engine before all tests; every suite starts from a copy. */
export default async function setup({ config }: TestProject): Promise<() => Promise<void>> {
  if (process.env[TEMPLATE_FILE]) return async () => {};
  // Other suites install software, or store gigabytes.
  const memory = config.env.TEST_TOOLS ? null : await useMemoryDir();
  const serverUrl = process.env.TEST_DATABASE_URL;
  const clusterUrl = process.env.TEST_CITUS_URL;
  const [embedded, postgres] = await Promise.all([
    makeEmbeddedTemplate(),
    serverUrl ? makePostgresTemplate(serverUrl) : null,
    // Builds the server's bundle if it is stale, so that no two tests do it.
    asksForPackagesOnly() ? null : promisify(execFile)(process.execPath, [MINUTES, "--version"]),
  ]);
  // Afterwards: creating the embedded template keeps this process from answering a cluster's servers in time.
  const cluster = clusterUrl ? await makeClusterTemplate(clusterUrl) : null;
  process.env[TEMPLATE_FILE] = embedded.file;
  if (postgres) process.env[TEMPLATE_DATABASE] = postgres.name;
  if (cluster) process.env[CLUSTER_TEMPLATE] = cluster.name;
  return async () => {
    await Promise.all([embedded.remove(), postgres?.remove(), cluster?.remove()]);
    await memory?.remove();
  };
}

/** Returns true if only tests of packages were asked for. Few of those start the server, which then builds its bundle itself. */
function asksForPackagesOnly(): boolean {
  const paths = process.argv.filter((argument) => /^(acceptance|apps|packages)\b/.test(argument));
  return paths.length > 0 && paths.every((path) => path.startsWith("packages"));
}
