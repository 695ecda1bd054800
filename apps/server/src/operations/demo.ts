import { ApiError } from "@minutes/core";
import { z } from "zod";
import { readSample } from "../demo/keys-file.js";
import { loadSample } from "../demo/load.js";
import { removeSample } from "../demo/remove.js";
import { type OperationContext, operation } from "./operation.js";

const Nothing = z.strictObject({});

/** The sample's keys are kept readable beside the data, and only the embedded database has a place for that. */
function embeddedDir({ dataDir }: OperationContext): string {
  if (dataDir === null) throw new ApiError("CONFLICT", "The sample is for the embedded database only.");
  return dataDir;
}

const required = <Value>(sample: Value | null): Value => {
  if (sample === null) throw new ApiError("NOT_FOUND", "There is no sample workspace.");
  return sample;
};

export const demoOperations = {
  "demo.load": operation(Nothing, async (context) => {
    const dataDir = embeddedDir(context);
    if (await readSample(context.db, dataDir)) {
      throw new ApiError("CONFLICT", "The sample workspace is loaded already.");
    }
    await loadSample(context.db, dataDir);
    return required(await readSample(context.db, dataDir));
  }),

  "demo.show": operation(Nothing, async (context) =>
    required(await readSample(context.db, embeddedDir(context))),
  ),

  "demo.remove": operation(Nothing, async (context) => {
    const dataDir = embeddedDir(context);
    const { workspaceId, workspace } = required(await readSample(context.db, dataDir));
    await removeSample(context.db, dataDir);
    return { workspaceId, workspace };
  }),
};
