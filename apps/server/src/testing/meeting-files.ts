import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openInstallation } from "./installation.js";
import { type Settings, temporaryDir } from "./process.js";

export const OWNER = "ann@example.com";

/** A meeting of `OWNER` as `minutes import` reads it. */
export const meeting = (externalId: string, more: object = {}) => ({
  externalId,
  ownerEmail: OWNER,
  title: "Planning",
  startTime: "2026-01-05T09:00:00Z",
  ...more,
});

/** Writes files into a new folder: text as it is, anything else as JSON. @returns their paths */
export async function writeMeetings(files: Readonly<Record<string, unknown>>): Promise<string[]> {
  const folder = await temporaryDir();
  return Promise.all(
    Object.entries(files).map(async ([name, content]) => {
      const path = join(folder, name);
      await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
      return path;
    }),
  );
}

/** Opens an empty installation in this process, as a running server would, until the test ends. */
export async function openForTest(more: Settings = {}, open = openInstallation) {
  const installation = await open(more);
  onTestFinished(installation.close);
  return { db: installation.db, connection: installation.connection, DATA_DIR: installation.dataDir };
}
