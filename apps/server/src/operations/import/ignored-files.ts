/**
 * Matches folders, hidden files, and files about the others: `readme` files, and what Windows, macOS and Word leave in folders,
 * such as `Thumbs.db` and `~$Minutes.docx`, which marks a document that is open.
 */
const IGNORED = /(?:^|\/)(?:\.|~\$|__MACOSX\/|readme\.|(?:thumbs\.db|desktop\.ini)$)|\/$/i;

/** Returns true for a file that isn't imported with its folder or archive. @param path within it */
export const isIgnored = (path: string): boolean => IGNORED.test(path.replaceAll("\\", "/"));
