/** Returns true for a secret without characters that `fetch` refuses in a header, quoting it in its error. */
export const isSendable = (secret: string): boolean => /^[\x20-\x7e]*$/.test(secret);

/** Says why a secret was not sent, without it. */
export const UNSENDABLE = "The key has characters that no key has, such as … or a line break. Copy it again.";
