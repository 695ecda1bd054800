/** Returns true if a secret is printable ASCII. For others, `fetch` can fail with an error that quotes the secret. */
export const isSendable = (secret: string): boolean => /^[\x20-\x7e]*$/.test(secret);

/** Error message for a secret that was not sent. Doesn't contain the secret. */
export const UNSENDABLE =
  "The key has a character that no key can have, such as … or a line break. Copy the key again.";
