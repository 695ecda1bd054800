import { LIMITS } from "@minutes/contract";

const PAGES = [10, LIMITS.pageSizeDefault, LIMITS.pageSizeMax];

/**
 * Returns the number of rows to read for a page: one more than fits, to detect a next page. Rounded to a few fixed
 * numbers inlined into the statement, because PostgreSQL plans badly with an unknown LIMIT.
 */
export const getRowLimit = (limit: number): number =>
  (PAGES.find((page) => page >= limit) ?? LIMITS.pageSizeMax) + 1;
