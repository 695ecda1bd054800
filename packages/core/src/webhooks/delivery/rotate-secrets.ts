import { type Database, schema } from "@minutes/db";
import { and, asc, eq, gt, inArray, isNotNull, type SQL } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { EncryptedSecret, Keyring } from "../../lib/keyring.js";

const { calendars, keptAudio, webhookOldSecrets, webhooks } = schema;

/** A column of secrets. Waiting recordings are left out: their rows live a week. */
interface SecretColumn {
  readonly table: PgTable;
  readonly id: PgColumn;
  /** The ID for which a secret is encrypted. */
  readonly owner: PgColumn;
  readonly secret: PgColumn;
  readonly keyId: PgColumn;
  store(tx: Database, of: SQL, sealed: EncryptedSecret): PromiseLike<unknown>;
}

const SECRET_COLUMNS = {
  webhooks: {
    ...{ table: webhooks, id: webhooks.id, owner: webhooks.id },
    ...{ secret: webhooks.secret, keyId: webhooks.secretKeyId },
    store: (tx, of, sealed) => tx.update(webhooks).set(sealed).where(of),
  },
  oldSecrets: {
    ...{ table: webhookOldSecrets, id: webhookOldSecrets.id, owner: webhookOldSecrets.webhookId },
    ...{ secret: webhookOldSecrets.secret, keyId: webhookOldSecrets.secretKeyId },
    store: (tx, of, sealed) => tx.update(webhookOldSecrets).set(sealed).where(of),
  },
  calendars: {
    ...{ table: calendars, id: calendars.userId, owner: calendars.userId },
    ...{ secret: calendars.secret, keyId: calendars.secretKeyId },
    store: (tx, of, sealed) => tx.update(calendars).set(sealed).where(of),
  },
  keptAudio: {
    ...{ table: keptAudio, id: keptAudio.id, owner: keptAudio.id },
    ...{ secret: keptAudio.fileKey, keyId: keptAudio.secretKeyId },
    store: (tx, of, { secret, secretKeyId }) =>
      tx.update(keptAudio).set({ fileKey: secret, secretKeyId }).where(of),
  },
} as const satisfies Readonly<Record<string, SecretColumn>>;
export type SecretKind = keyof typeof SECRET_COLUMNS;
const KINDS = Object.keys(SECRET_COLUMNS) as SecretKind[];

/** Secrets that are not what their key encrypted for their row. */
export interface DamagedSecrets {
  readonly kind: SecretKind;
  readonly count: number;
  /** ID of the first row's owner. */
  readonly first: string;
}

/** Number of secrets that a transaction re-encrypts. */
const BATCH = 500;

/**
 * Re-encrypts secrets of older keys with the keyring's first key, so that the older keys can be removed. Secrets whose
 * key is not in the ring, and those that can't be decrypted with it, stay unchanged.
 * @param onDamaged called for each kind with secrets that can't be decrypted
 * @returns the number of re-encrypted secrets
 */
export async function rotateSecrets(
  db: Database,
  keyring: Keyring,
  onDamaged: (damaged: DamagedSecrets) => void = () => {},
): Promise<number> {
  let rotated = 0;
  for (const kind of KINDS) {
    const column: SecretColumn = SECRET_COLUMNS[kind];
    const isOld = inArray(column.keyId, [...keyring.oldKeyIds]);
    const damaged = await forEachBatch(db, column, isOld, async (tx, rows) => {
      const opened = rows.map((row) => ({ ...row, text: tryDecrypt(keyring, row, row.owner) }));
      for (const { id, owner, text } of opened)
        if (text !== null) await column.store(tx, eq(column.id, id), keyring.encrypt(text, owner));
      rotated += opened.filter(({ text }) => text !== null).length;
      return opened.flatMap(({ owner, text }) => (text === null ? [owner] : []));
    });
    const [first] = damaged;
    if (first !== undefined) onDamaged({ kind, count: damaged.length, first });
  }
  return rotated;
}

/** Counts the secrets of each kind that the keyring can't decrypt. @param keyring null: it decrypts none */
export async function countUnreadable(
  db: Database,
  keyring: Keyring | null,
): Promise<Readonly<Record<SecretKind, number>>> {
  const counts: Record<SecretKind, number> = { webhooks: 0, oldSecrets: 0, calendars: 0, keptAudio: 0 };
  for (const kind of KINDS) {
    const column: SecretColumn = SECRET_COLUMNS[kind];
    const unreadable = await forEachBatch(db, column, isNotNull(column.keyId), async (_, rows) =>
      rows.filter((row) => !keyring || tryDecrypt(keyring, row, row.owner) === null),
    );
    counts[kind] = unreadable.length;
  }
  return counts;
}

interface SecretRow extends EncryptedSecret {
  readonly id: unknown;
  readonly owner: string;
}

/** Calls a function for all secrets of a column that a condition selects, each batch locked in a transaction. */
async function forEachBatch<Result>(
  db: Database,
  { table, id, owner, secret, keyId }: SecretColumn,
  where: SQL,
  use: (tx: Database, rows: readonly SecretRow[]) => Promise<readonly Result[]>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let last: unknown; ; ) {
    const rows = await db.transaction(async (tx) => {
      const some = (await tx
        .select({ id, owner, secret, secretKeyId: keyId })
        .from(table)
        .where(and(where, isNotNull(secret), last === undefined ? undefined : gt(id, last)))
        .orderBy(asc(id))
        .limit(BATCH)
        .for("update")) as SecretRow[];
      results.push(...(await use(tx, some)));
      return some;
    });
    last = rows.at(-1)?.id;
    if (rows.length < BATCH) return results;
  }
}

/** Decrypts a secret; null if its key is not in the ring, or if it is damaged. */
export function tryDecrypt(keyring: Keyring, sealed: EncryptedSecret, owner: string): string | null {
  try {
    return keyring.decrypt(sealed, owner);
  } catch {
    return null;
  }
}
