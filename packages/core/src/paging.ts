import { LIMITS } from "@minutes/contract";

const PAGES = [10, LIMITS.pageSizeDefault, LIMITS.pageSizeMax];

/**
 * Returns how many rows a statement reads for a page: one more than fits, to know whether there is a next page. A few
 * fixed numbers written into the statement, since PostgreSQL plans badly for a LIMIT that it does not know.
 */
export const getRowLimit = (limit: number): number =>
  (PAGES.find((page) => page >= limit) ?? LIMITS.pageSizeMax) + 1;
