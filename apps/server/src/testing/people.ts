import { minutesJson } from "./installation.js";
import type { Settings } from "./process.js";

/** A workspace with one admin who can read, write and record. */
export interface Installation {
  readonly email: string;
  /** Their personal key. */
  readonly key: string;
  /** A credential of the workspace's recorders. */
  readonly ingestKey: string;
}

/** Creates a workspace, its admin and their keys with the command line, and in PostgreSQL the tables. */
export async function addPeople(settings: Settings): Promise<Installation> {
  const email = "ann@example.com";
  const run = <Result>(...args: string[]) => minutesJson<Result>(args, settings);
  if (settings.DATABASE_URL !== undefined) await run("migrate");
  await run("workspaces", "create", "First", "--plan", "team");
  await run("users", "create", email, "--workspace", "First", "--role", "admin");
  const { key } = await run<{ key: string }>("keys", "create", email);
  const { key: ingestKey } = await run<{ key: string }>("keys", "create", email, "--ingest");
  return { email, key, ingestKey };
}
