import { NoInput } from "@minutes/contract";
import { ApiError } from "@minutes/core";
import { type Database, hasVectors, schema } from "@minutes/db";
import type { SimilarityState } from "@minutes/search";
import { sql } from "drizzle-orm";
import { z } from "zod";
import { type OperatorContext, operatorProcedure } from "./procedures.js";

const { searchDocuments, searchSettings } = schema;

type Installation = Pick<OperatorContext, "db" | "embeddings"> & {
  readonly search?: OperatorContext["search"] | undefined;
};

/** How search goes, and how many meetings have vectors. */
export interface EmbeddingsStatus {
  /** What EMBEDDINGS says; null where `chosen` decides. */
  readonly setting: string | null;
  /** What `minutes embeddings use` chose; null for the default. */
  readonly chosen: string | null;
  /** How the server that answers searches; null when none does in this process. */
  readonly search: SimilarityState | null;
  readonly meetings: number;
  /** Meetings with vectors, by model. */
  readonly vectors: readonly { readonly model: string; readonly meetings: number }[];
}

async function readStatus({ db, embeddings, search }: Installation): Promise<EmbeddingsStatus> {
  const [settings] = await db.select({ model: searchSettings.model }).from(searchSettings);
  const counts = await db
    .select({ space: searchDocuments.space, meetings: sql<number>`count(*)::int` })
    .from(searchDocuments)
    .groupBy(searchDocuments.space)
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

/** Reads the model from the name of a space, which is named `model:<name>:<layout>:<dimensions>`; a name may have colons. */
const toModelName = (space: string): string => space.split(":").slice(1, -2).join(":");

async function choose(ctx: Installation, model: string): Promise<EmbeddingsStatus> {
  if (ctx.embeddings.setting !== null)
    throw new ApiError(
      "BAD_REQUEST",
      "EMBEDDINGS or EMBEDDINGS_URL is set and decides: remove it from the settings.",
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
      "The database has no pgvector, which stores vectors: install it first.",
    );
}

/** The model by which search finds what was said in other words. */
export const embeddings = {
  status: operatorProcedure.input(NoInput).query(({ ctx }) => readStatus(ctx)),
  /** Changes the model at once: `builtin`, `off`, or one whose files are here. Vectors are made again in the background. */
  use: operatorProcedure
    .input(z.strictObject({ model: z.string().max(100) }))
    .mutation(({ ctx, input }) => choose(ctx, input.model)),
};
