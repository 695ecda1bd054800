import { eraseUser, leaveWorkspace, listMembers, OPERATOR, removeWorkspace } from "@minutes/core";
import type { Database } from "@minutes/db";
import { removeKeysFile, syncSample } from "./keys-file.js";
import { readWrittenSample } from "./sample.js";

/**
 * Erases the sample's people and their workspace. Other users in it move to their own workspaces with their meetings.
 * The keys file is deleted last, so that an interrupted removal can be repeated.
 */
export async function removeSample(db: Database, dataDir: string): Promise<void> {
  const sample = await syncSample(db, dataDir);
  if (!sample) return;
  const { workspace } = await readWrittenSample(new Date());
  const written = new Set(workspace.people.map(({ email }) => email));
  await db.transaction(async (tx) => {
    const members = await listMembers(tx, sample.workspaceId);
    for (const { userId, email } of members) if (written.has(email)) await eraseUser(tx, OPERATOR, userId);
    // Admins come first in the list and leave last, so that members always have one.
    const others = members.filter(({ email }) => !written.has(email)).reverse();
    for (const { userId } of others) await leaveWorkspace(tx, OPERATOR, userId);
    await removeWorkspace(tx, OPERATOR, sample.workspaceId);
  });
  await removeKeysFile(dataDir);
}
