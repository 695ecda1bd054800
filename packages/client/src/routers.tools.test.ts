import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeEventTypes, writeRouterTypes } from "@minutes/reference";
import { findTypeErrors } from "@minutes/testing/type-errors";
import { expect, test } from "vitest";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const GENERATED = { "routers.ts": writeRouterTypes(), "events.ts": writeEventTypes() };

/**
 * Compiles only if the generated types equal those inferred by tRPC from the routers, and by zod from the event
 * schemas.
 */
const COMPARISON = `
import type * as contract from "@minutes/contract";
import type * as core from "@minutes/core";
import type { inferRouterInputs as In, inferRouterOutputs as Out } from "@trpc/server";
import type * as events from "./events.js";
import type { AnswerLine, Ask, IngestRouter, ManagementRouter, MeRouter, PeopleRouter, SyncRouter, Transcription, WorkspaceRouter } from "./routers.js";
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Flat<T> = T extends object ? { [Key in keyof T]: Flat<T[Key]> } : T;
/** Inputs take arrays of both kinds. */
type Taken<T> = T extends readonly (infer Item)[] ? readonly Taken<Item>[] : T extends object ? { [Key in keyof T]: Taken<T[Key]> } : T;
export const equal: [
  Same<Flat<events.MeetingCompleted>, Flat<contract.MeetingCompleted>>,
  Same<Flat<events.MeetingDeleted>, Flat<contract.MeetingDeleted>>,
  Same<Flat<events.MeetingShared>, Flat<contract.MeetingShared>>,
  Same<Flat<events.MeetingUpdated>, Flat<contract.MeetingUpdated>>,
  Same<Flat<events.RecordingFailed>, Flat<contract.RecordingFailed>>,
  Same<Flat<events.TaskUpdated>, Flat<contract.TaskUpdated>>,
  Same<Taken<In<SyncRouter>>, Taken<In<core.SyncRouter>>>,
  Same<Flat<Out<SyncRouter>>, Flat<Out<core.SyncRouter>>>,
  Same<Taken<In<MeRouter>>, Taken<In<core.MeRouter>>>,
  Same<Flat<Out<MeRouter>>, Flat<Out<core.MeRouter>>>,
  Same<Taken<In<WorkspaceRouter>>, Taken<In<core.WorkspaceRouter>>>,
  Same<Flat<Out<WorkspaceRouter>>, Flat<Out<core.WorkspaceRouter>>>,
  Same<Taken<In<ManagementRouter>>, Taken<In<core.ManagementRouter>>>,
  Same<Flat<Out<ManagementRouter>>, Flat<Out<core.ManagementRouter>>>,
  Same<Taken<In<PeopleRouter>>, Taken<In<core.PeopleRouter>>>,
  Same<Flat<Out<PeopleRouter>>, Flat<Out<core.PeopleRouter>>>,
  Same<Taken<Ask>, Taken<contract.Ask>>,
  Same<Flat<AnswerLine>, Flat<contract.AnswerLine>>,
  Same<Flat<Transcription>, Flat<contract.Transcription>>,
  Same<Taken<In<IngestRouter>["transcriptions"]>, Taken<In<core.IngestRouter>["transcriptions"]>>,
  Same<Flat<Out<IngestRouter>["transcriptions"]>, Flat<Out<core.IngestRouter>["transcriptions"]>>,
  Same<Taken<In<IngestRouter>["recordings"]>, Taken<In<core.IngestRouter>["recordings"]>>,
  Same<Taken<In<IngestRouter>["meetings"]["import"]>, Taken<In<core.IngestRouter>["meetings"]["import"]>>,
  Same<Flat<Out<IngestRouter>["recordings"]>, Flat<Out<core.IngestRouter>["recordings"]>>,
] = [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true];
`;

test("the published types equal those that tRPC infers from the routers", async () => {
  // Below node_modules, where imports resolve and other tools don't look.
  const folder = here(`../node_modules/.comparison-${process.pid}`);
  await mkdir(folder, { recursive: true });
  try {
    const sources = { ...GENERATED, "comparison.ts": COMPARISON };
    for (const [file, source] of Object.entries(sources)) await writeFile(join(folder, file), source);
    expect(findTypeErrors(Object.keys(sources).map((file) => join(folder, file)))).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
