/**
 * `pnpm bench:ingest:convert <folder>`: writes QMSum's meetings as files for `pnpm minutes import <folder> --owner
 * <email>`.
 */
import { writeQmsumFiles } from "./dataset.js";

const folder = process.argv[2];
if (!folder || folder.startsWith("-")) {
  console.log("[SEARCHBENCH_DIR=…] pnpm bench:ingest:convert <folder>");
  process.exit(folder === "--help" ? 0 : 2);
}
await writeQmsumFiles(folder);
