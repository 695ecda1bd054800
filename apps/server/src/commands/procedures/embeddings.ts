import { NoInput } from "@minutes/contract";
import { ApiError } from "@minutes/core";
import { type Database, hasVectors, schema } from "@minutes/db";
import type { SimilarityState } from "@minutes/search";
import { sql } from "drizzle-orm";
import { z } from "zod";
import { type OperatorContext, operatorProcedure } from "../operator/procedures.js";

type Installation = Pick<OperatorContext, "db" | "embeddings"> & {
  readonly search?: OperatorContext["search"] | undefined;
};

/** Extracts the model from a space's name, `model:<name>:<layout>:<dimensions>`. A model's name can contain colons. */
const toModelName = (space: string): string => space.split(":").slice(1, -2).join(":");

const { searchDocuments, searchSettings } = schema;

/** The search mode, and the number of meetings with vectors. */
export interface EmbeddingsStatus {
  /** The setting EMBEDDINGS; null if `chosen` decides. */
  readonly setting: string | null;
  /** The model chosen with `minutes embeddings use`; null for the default. */
  readonly chosen: string | null;
  /** Search mode of the answering server; null if there is none in this process. */
  readonly search: SimilarityState | null;
  readonly meetings: number;
  /** Meetings with vectors, by model. */
  readonly vectors: readonly { readonly model: string; readonly meetings: number }[];
}

async function readStatus({ db, embeddings, search }: Installation): Promise<EmbeddingsStatus> {
  const [settings] = await db.select({ model: searchSettings.model }).from(searchSettings);
  // A meeting has vectors if all of its documents have.
  const counts = await db
    .select({ space: sql<string | null>`space`, meetings: sql<number>`count(*)::int` })
    .from(sql`(
      select case when count(distinct coalesce(space, '')) = 1 then max(space) end as space
      from ${searchDocuments} group by meeting_id) m`)
    .groupBy(sql`space`)
    .orderBy(sql`count(*) desc`);
  return {
    setting: embeddings.setting,
    chosen: settings?.model ?? null,
    search: search?.state() ?? null,
    meetings: counts.reduce((sum, { meetings }) => sum + meetings, 0),
    vectors: counts.flatMap(({ space, meetings }) =>
      space === null ? [] : [{ model: toModelName(space), meetings }],
    ),
  };
}

async function choose(ctx: Installation, model: string): Promise<EmbeddingsStatus> {
  if (ctx.embeddings.setting !== null)
    throw new ApiError(
      "BAD_REQUEST",
      "EMBEDDINGS or EMBEDDINGS_URL is set and takes precedence: remove it from the settings.",
    );
  if (model !== "off") await requireVectors(ctx.db);
  if (!(await ctx.embeddings.isReady(model)))
    throw new ApiError("BAD_REQUEST", `The files of ${model} are not on the server's machine.`);
  await ctx.db.update(searchSettings).set({ model });
  await ctx.search?.refresh(true);
  return readStatus(ctx);
}

async function requireVectors(db: Database): Promise<void> {
  if (!(await hasVectors(db)))
    throw new ApiError(
      "BAD_REQUEST",
      "The database has no pgvector, which stores vectors. Have a superuser run `create extension vector` in it, then restart the servers.",
    );
}

/** The model for semantic search. */
export const embeddings = {
  status: operatorProcedure.input(NoInput).query(({ ctx }) => readStatus(ctx)),
  /** Changes the model immediately: `builtin`, `off`, or a downloaded one. Vectors are recreated in the background. */
  use: operatorProcedure
    .input(z.strictObject({ model: z.string().max(100) }))
    .mutation(({ ctx, input }) => choose(ctx, input.model)),
};
