import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run, toRepositoryPath } from "./run.js";

/** The server's package, installed where nothing else is. */
export interface InstalledServer {
  /** What `npm pack` made. */
  readonly tarball: string;
  /** The `minutes` that npm put in place. */
  readonly program: string;
  /** A folder of this installation's own. */
  readonly folder: string;
  remove(): Promise<void>;
}

/** Packs the server, and installs it with an empty cache and no registry that could be asked. */
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
