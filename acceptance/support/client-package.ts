import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run, toRepositoryPath } from "./run.js";

/** The client as published. */
export interface ClientPackage {
  /** The folder that `npm publish` would publish. */
  readonly folder: string;
  /** The output of `npm pack`. */
  readonly tarball: string;
  remove(): Promise<void>;
}

/** Builds and packs the client in a separate folder, independent of concurrent builds in the workspace. */
export async function packClient(): Promise<ClientPackage> {
  const root = await mkdtemp(join(tmpdir(), "minutes-client-"));
  const folder = join(root, "package");
  await run("node", [toRepositoryPath("packages/client/build.js"), folder]);
  await run("npm", ["pack", "--pack-destination", root], { cwd: folder });
  const [tarball] = (await readdir(root)).filter((name) => name.endsWith(".tgz"));
  if (!tarball) throw new Error("npm pack made no tarball.");
  return {
    folder,
    tarball: join(root, tarball),
    remove: () => rm(root, { recursive: true, force: true }),
  };
}
