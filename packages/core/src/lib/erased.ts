/** Replacement for an erased person's name. */
export const ERASED_NAME = "Erased person";

/** Replacement for an erased attendee's address, which can't be empty. Its top-level domain never exists (RFC 2606). */
export const ERASED_EMAIL = "erased@erased.invalid";
