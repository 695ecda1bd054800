/** Replacement for an erased person's name. */
export const ERASED_NAME = "Erased person";
