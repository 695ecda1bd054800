/** Layout of an export folder: everything as lines, and each meeting again as readable documents. */
export const EXPORT_FOLDER = { lines: "export.jsonl", documents: "meetings" } as const;
