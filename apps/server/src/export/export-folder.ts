/** What `minutes export` writes into a folder: everything as lines, and each meeting once more as documents to read. */
export const EXPORT_FOLDER = { lines: "export.jsonl", documents: "meetings" } as const;
