import { type Database, schema } from "@minutes/db";
import { and, eq, sql } from "drizzle-orm";
import type { NewNetwork } from "../access/networks.js";
import type { Mailer } from "../lib/mailer.js";
import { listHolderAddresses } from "../workspaces/index.js";

const { apiKeys, auditLog, ingestKeys } = schema;

/** Maximum e-mails about one key per day: a program in a cloud can use many networks. */
const MAILS_PER_DAY = 5;

/**
 * Notifies the holders of a key by e-mail that it was used from a new network: the owner of a personal key, or all
 * admins of the workspace of a workspace or ingest key. Call it once the network is in the audit log. After five
 * e-mails about a key in a day, further networks appear only in the audit log.
 * @throws Error if the mail server does not accept it
 */
export async function notifyNewNetwork(
  db: Database,
  mailer: Mailer,
  { kind, keyId, network }: NewNetwork,
): Promise<void> {
  const recent = and(
    eq(auditLog.actor, keyId),
    eq(auditLog.action, `${kind}.new-network`),
    sql`${auditLog.at} > now() - interval '1 day'`,
  );
  if ((await db.$count(auditLog, recent)) > MAILS_PER_DAY) return;
  const [key] =
    kind === "key"
      ? await db
          .select({
            name: apiKeys.name,
            lastFour: apiKeys.lastFour,
            userId: apiKeys.userId,
            workspaceId: apiKeys.workspaceId,
          })
          .from(apiKeys)
          .where(eq(apiKeys.id, keyId))
      : await db
          .select({
            name: ingestKeys.name,
            lastFour: ingestKeys.lastFour,
            userId: sql<null>`null`,
            workspaceId: ingestKeys.workspaceId,
          })
          .from(ingestKeys)
          .where(eq(ingestKeys.id, keyId));
  if (!key) return;
  const to = await listHolderAddresses(db, key);
  if (to.length === 0) return;
  const name = kind === "key" ? "API key" : "ingest key";
  await mailer({
    to,
    subject: `Your ${name} "${key.name}" was used from a new network`,
    text: [
      `The ${name} "${key.name}" that ends in ${key.lastFour} was used for the first time from the network ${network}.`,
      "",
      `Key: ${keyId}`,
      "",
      "If you don't recognize this network, revoke the key and create a new one.",
      "",
    ].join("\n"),
  });
}
