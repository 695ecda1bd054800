import { NoInput } from "@minutes/contract";
import { ApiError } from "@minutes/core";
import { type Sample, syncSample } from "../../demo/keys-file.js";
import { loadSample, removeSample } from "../../demo/load.js";
import { operatorProcedure } from "../operator/procedures.js";

/** Builds procedures for the sample. Its keys are stored next to the data, so it requires the embedded database. */
const embeddedProcedure = operatorProcedure.input(NoInput).use(({ ctx, next }) => {
  const { dataDir } = ctx;
  if (dataDir === null)
    throw new ApiError(
      "CONFLICT",
      "The sample is available only with the embedded database. After a move it is a workspace like any other: `minutes workspaces delete <name> --erase-members` erases it with all its members.",
    );
  return next({ ctx: { dataDir } });
});

const requireSample = (sample: Sample | null): Sample => {
  if (sample === null) throw new ApiError("NOT_FOUND", "There is no sample workspace.");
  return sample;
};

/** The sample workspace. */
export const demo = {
  load: embeddedProcedure.mutation(async ({ ctx: { db, dataDir } }) => {
    if (await syncSample(db, dataDir)) {
      throw new ApiError("CONFLICT", "The sample workspace is already loaded.");
    }
    await loadSample(db, dataDir);
    return requireSample(await syncSample(db, dataDir));
  }),
  show: embeddedProcedure.query(async ({ ctx: { db, dataDir } }) =>
    requireSample(await syncSample(db, dataDir)),
  ),
  remove: embeddedProcedure.mutation(async ({ ctx: { db, dataDir } }) => {
    const { workspaceId, workspace } = requireSample(await syncSample(db, dataDir));
    await removeSample(db, dataDir);
    return { id: workspaceId, workspace };
  }),
};
