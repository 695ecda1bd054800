import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** An encrypted secret as stored. */
export interface EncryptedSecret {
  readonly secretKeyId: string;
  readonly secret: Uint8Array;
}

/** Encrypts secrets at rest. The first key encrypts; all keys decrypt. @see docs/open-questions.md#q17 */
export interface Keyring {
  /** Id of the encrypting key. It reveals nothing about the key. */
  readonly keyId: string;
  /** IDs of the keys that only decrypt. */
  readonly oldKeyIds: readonly string[];
  /** Returns true if secrets encrypted with this key can be decrypted. */
  has(keyId: string): boolean;
  /** Encrypts a secret. `owner` is the id of the secret's row: it can't be decrypted for another row. */
  encrypt(secret: string, owner: string): EncryptedSecret;
  /**
   * Decrypts a secret. @throws Error if the key is no longer in the ring, or the secret was tampered with
   */
  decrypt(sealed: EncryptedSecret, owner: string): string;
}

const toKeyId = (key: Uint8Array): string =>
  createHash("sha256").update("minutes secrets key").update(key).digest("hex").slice(0, 12);

/** Generates a key in the format of the setting `SECRETS_KEY`. */
export const generateSecretsKey = (): string => randomBytes(KEY_BYTES).toString("base64");

/** Parses one key of the setting: 32 bytes in base64. Null if invalid. */
export function parseSecretsKey(text: string): Uint8Array | null {
  const key = Buffer.from(text, "base64");
  return key.length === KEY_BYTES && key.toString("base64") === text ? key : null;
}

/** Creates a keyring from 32-byte keys. The first one encrypts. */
export function createKeyring(keys: readonly [Uint8Array, ...Uint8Array[]]): Keyring {
  const byId = new Map(keys.map((key) => [toKeyId(key), key]));
  const [current] = keys;
  const keyId = toKeyId(current);
  return {
    keyId,
    oldKeyIds: [...byId.keys()].filter((id) => id !== keyId),
    has: (id) => byId.has(id),
    encrypt: (secret, owner) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, current, nonce).setAAD(Buffer.from(owner));
      const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return { secretKeyId: keyId, secret: Buffer.concat([nonce, cipher.getAuthTag(), text]) };
    },
    decrypt: ({ secretKeyId, secret }, owner) => {
      const key = byId.get(secretKeyId);
      if (!key) throw new Error("The key that encrypted this secret is not in SECRETS_KEY.");
      const [nonce, tag, text] = [
        secret.subarray(0, NONCE_BYTES),
        secret.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES),
        secret.subarray(NONCE_BYTES + TAG_BYTES),
      ];
      // Without a fixed length, a shorter tag would be accepted, which is easier to forge.
      const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(owner))
        .setAuthTag(tag);
      return Buffer.concat([decipher.update(text), decipher.final()]).toString("utf8");
    },
  };
}
