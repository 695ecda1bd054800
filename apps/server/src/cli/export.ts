import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ApiError } from "@minutes/core";
import { writeMarkdown, writeVtt } from "@minutes/transcripts";
import type { Command } from "commander";
import type { OperationsClient } from "../connect-operations.js";
import { EXPORT_FOLDER } from "../import/export-folder.js";
import { UsageError } from "./failure.js";
import { print, withProgress } from "./output.js";
import { addCommand, withOperations } from "./run.js";

/** `minutes export` */
export function addExport(program: Command): void {
  addCommand(
    program,
    "export",
    "write everything of a user or a workspace into a folder: JSON Lines, and each meeting as Markdown and WebVTT",
  )
    .option("--user <email>", "one user's meetings, tags and terms")
    .option("--workspace <workspace>", "those of everybody in it; an id or a name")
    .requiredOption("--out <folder>", "where to write; made if it is new")
    .addHelpText(
      "after",
      "\n`minutes import <folder>/export.jsonl` puts it into an empty database. Keys and webhooks stay behind, and" +
        "\na locked summary is left out.",
    )
    .action(async ({ user, workspace, out, ...options }) => {
      if ((user === undefined) === (workspace === undefined)) {
        throw new UsageError("Give either --user or --workspace.");
      }
      const scope = user === undefined ? { workspace } : { user };
      const written = await withOperations(({ run }) => exportTo(run, scope, out));
      print(options, written, [`${written.meetings} meetings written to ${out}`]);
    });
}

type Scope = { user: string } | { workspace: string };

/** Writes meeting by meeting, so that it needs room for one. */
async function exportTo(run: OperationsClient["run"], scope: Scope, out: string) {
  const documents = join(out, EXPORT_FOLDER.documents);
  await mkdir(documents, { recursive: true, mode: 0o700 });
  const { records, meetingIds } = await run("export.head", scope);
  const lines = createWriteStream(join(out, EXPORT_FOLDER.lines), { mode: 0o600 });
  await once(lines, "open");
  const write = async (record: object) => {
    if (!lines.write(`${JSON.stringify(record)}\n`)) await once(lines, "drain");
  };
  for (const record of records) await write(record);
  let meetings = 0;
  await withProgress(meetingIds.length, "meetings", async (bar) => {
    for (const meetingId of meetingIds) {
      try {
        const { record, detail, turns } = await run("export.meeting", { meetingId });
        await write(record);
        const name = join(documents, `${record.startTime.slice(0, 10)}-${meetingId}`);
        await writeFile(`${name}.md`, writeMarkdown(detail), { mode: 0o600 });
        await writeFile(`${name}.vtt`, writeVtt(turns), { mode: 0o600 });
        meetings++;
      } catch (error) {
        // Deleted since the export began.
        if (!(error instanceof ApiError) || error.code !== "NOT_FOUND") throw error;
      }
      bar?.increment();
    }
  });
  lines.end();
  await once(lines, "close");
  return { meetings, out };
}
