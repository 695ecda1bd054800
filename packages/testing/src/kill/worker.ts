/**
 * A process that completes recordings until it is killed, and says which ones it was told are completed. Arguments: a
 * data directory of the embedded engine, or a PostgreSQL address.
 */
import { writeSync } from "node:fs";
import { CompleteRecording, MeetingImport, StartRecording } from "@minutes/contract";
import {
  completeRecording,
  createUser,
  findUser,
  type IngestCaller,
  importRecorded,
  OPERATOR,
  startRecording,
} from "@minutes/core";
import { connectEmbedded, connectPostgres } from "@minutes/db";

const [place = "", run = ""] = process.argv.slice(2);
const { db } = await (place.startsWith("postgres:")
  ? connectPostgres({ url: place, migrate: false })
  : connectEmbedded({ dataDir: place, migrate: false }));

const email = `kill-${run}@example.com`;
await createUser(db, OPERATOR, { email, name: "Anna" });
const { workspaceId } = await findUser(db, email);
const caller: IngestCaller = { kind: "ingest", workspaceId, keyId: "key_test" };

for (let number = 0; ; number++) {
  const externalId = `kill-${run}-${number}`;
  const started = { externalId, ownerEmail: email, title: "Meeting", startTime: "2025-03-14T09:00:00Z" };
  const rest = {
    endTime: "2025-03-14T09:10:00Z",
    transcript: Array.from({ length: 40 }, (_, at) => ({
      speakerId: `s${at % 3}`,
      speakerName: `Speaker ${at % 3}`,
      text: `Turn ${at} says quite a few words about the turbines, so that there is something to find.`,
    })),
    summary: { markdown: "A **summary**." },
    tasks: Array.from({ length: 3 }, (_, at) => ({ text: `Task ${at}` })),
    tags: [{ name: "Killed" }],
    calendarEvent: undefined,
  };
  if (number % 2 === 0) {
    await importRecorded(db, caller, MeetingImport.parse({ ...started, ...rest }), false);
  } else {
    await startRecording(db, caller, StartRecording.parse(started));
    const { calendarEvent, ...end } = rest;
    await completeRecording(db, caller, CompleteRecording.parse({ externalId, ...end }), false);
  }
  writeSync(1, `${externalId}\n`);
}
