import { open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { getKeyState } from "@minutes/core";
import { type Database, schema } from "@minutes/db";
import { and, eq } from "drizzle-orm";
import { z } from "zod";

const { members, users, workspaces } = schema;

/** The sample's keys in plain text. They are random per installation, and only the file's owner can read them. */
const KeysFile = z.strictObject({
  workspaceId: z.string(),
  /** The owner of the personal key. */
  userId: z.string(),
  /** Null once revoked or regenerated. */
  personalKey: z.string().nullable(),
  workspaceKey: z.string().nullable(),
});
export type KeysFile = z.output<typeof KeysFile>;

const getKeysPath = (dataDir: string) => join(dataDir, "sample-keys.json");

/** The sample workspace as displayed. A key is null while it is disabled, and once it is revoked or replaced. */
export interface Sample {
  readonly workspaceId: string;
  readonly workspace: string;
  /** Name of the personal key's owner. */
  readonly person: string;
  /** E-mail address of the personal key's owner. */
  readonly email: string;
  readonly personalKey: string | null;
  readonly workspaceKey: string | null;
}

/** Replaces the file atomically. It is synced to disk when the promise resolves. */
export async function writeKeysFile(dataDir: string, keys: KeysFile): Promise<void> {
  const aside = `${getKeysPath(dataDir)}.new`;
  await rm(aside, { force: true });
  const file = await open(aside, "wx", 0o600);
  try {
    await file.writeFile(`${JSON.stringify(keys, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(aside, getKeysPath(dataDir));
}

/** Removes the file if it exists, and what an interrupted write left. */
export async function removeKeysFile(dataDir: string): Promise<void> {
  for (const suffix of ["", ".new"]) await rm(`${getKeysPath(dataDir)}${suffix}`, { force: true });
}

async function readKeysFile(dataDir: string): Promise<KeysFile | null> {
  const text = await readFile(getKeysPath(dataDir), "utf8").catch(() => null);
  if (text === null) return null;
  try {
    return KeysFile.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Finds the workspace and person of the sample's keys. */
async function findPlace(db: Database, { userId, workspaceId }: KeysFile) {
  const [place] = await db
    .select({ workspace: workspaces.name, person: users.name, email: users.email })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
    .where(and(eq(members.userId, userId), eq(members.workspaceId, workspaceId)));
  return place ?? null;
}

/** Finds the sample workspace; null if there is none. Never writes. */
export async function findSample(
  db: Database,
  dataDir: string | null,
): Promise<Pick<Sample, "workspaceId" | "workspace"> | null> {
  const kept = dataDir === null ? null : await readKeysFile(dataDir);
  const place = kept && (await findPlace(db, kept));
  return place && { workspaceId: kept.workspaceId, workspace: place.workspace };
}

/**
 * Returns the sample workspace with its working keys, or null if there is none. Also writes: deletes the keys file if
 * the person or workspace is gone or the person is no longer a member, and clears keys that were revoked or
 * regenerated.
 */
export async function syncSample(db: Database, dataDir: string | null): Promise<Sample | null> {
  const kept = dataDir === null ? null : await readKeysFile(dataDir);
  if (dataDir === null || kept === null) return null;
  const place = await findPlace(db, kept);
  if (!place) {
    await removeKeysFile(dataDir);
    return null;
  }
  const getState = (key: string | null) => (key === null ? null : getKeyState(db, key));
  const [personal, company] = [await getState(kept.personalKey), await getState(kept.workspaceKey)];
  const keys = {
    personalKey: personal === null ? null : kept.personalKey,
    workspaceKey: company === null ? null : kept.workspaceKey,
  };
  if (keys.personalKey !== kept.personalKey || keys.workspaceKey !== kept.workspaceKey) {
    await writeKeysFile(dataDir, { ...kept, ...keys });
  }
  return {
    workspaceId: kept.workspaceId,
    ...place,
    personalKey: personal === "enabled" ? kept.personalKey : null,
    workspaceKey: company === "enabled" ? kept.workspaceKey : null,
  };
}
