import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run, toRepositoryPath } from "./run.js";

/** The server's package, installed in isolation. */
export interface InstalledServer {
  /** The output of `npm pack`. */
  readonly tarball: string;
  /** The `minutes` binary installed by npm. */
  readonly program: string;
  /** A folder for this installation. */
  readonly folder: string;
  remove(): Promise<void>;
}

/** Packs the server, and installs it with an empty cache and no reachable registry. */
export async function installServer(): Promise<InstalledServer> {
  const folder = await mkdtemp(join(tmpdir(), "minutes-server-"));
  const packed = join(folder, "pack");
  await run("node", [toRepositoryPath("scripts/packaging/pack.js"), packed]);
  const [name = ""] = (await readdir(packed)).filter((file) => file.endsWith(".tgz"));
  const tarball = join(packed, name);
  const app = join(folder, "app");
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", "--prefix", app, tarball], {
    cwd: folder,
    env: { npm_config_cache: join(folder, "cache") },
  });
  return {
    tarball,
    folder,
    program: join(app, "node_modules/.bin/minutes"),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
