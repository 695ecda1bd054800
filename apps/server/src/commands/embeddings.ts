import { NoInput } from "@minutes/contract";
import { ApiError } from "@minutes/core";
import { type Database, hasVectors, schema } from "@minutes/db";
import type { SimilarityState } from "@minutes/search";
import { sql } from "drizzle-orm";
import { z } from "zod";
import type { Config } from "../config/config.js";
import { getSize, listModels } from "../search/models/catalogue.js";
import { downloadModel, getModelDirectory, isInstalled } from "../search/models/download.js";
import { DownloadError } from "../search/models/download-error.js";
import { describeInstallation, installRuntime, loadRuntime } from "../search/models/runtime.js";
import { getModelsDirectory } from "../search/similarity.js";
import type { OperatorCommand } from "./cli/command.js";
import { UsageError } from "./cli/exit.js";
import { type CommonOptions, formatTable, note, print, withProgress } from "./cli/output.js";
import { type OperatorContext, operatorProcedure } from "./operator/procedures.js";

const { searchDocuments, searchSettings } = schema;

type Installation = Pick<OperatorContext, "db" | "embeddings"> & {
  readonly search?: OperatorContext["search"] | undefined;
};

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

/** Extracts the model from a space's name, `model:<name>:<layout>:<dimensions>`. A model's name can contain colons. */
const toModelName = (space: string): string => space.split(":").slice(1, -2).join(":");

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
      "The database has no pgvector, which stores vectors. Install it first.",
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

const MEGABYTE = 1_000_000;

/** Adds `minutes embeddings …`. */
export function addEmbeddingsCommands(program: OperatorCommand<{ embeddings: typeof embeddings }>): void {
  const commands = program.command("embeddings").description("the model for semantic search");

  commands
    .add("status", "show the current search mode and the available models")
    .run(async ({ embeddings }, options) =>
      show(program.getConfig(), options, await embeddings.status.query()),
    );
  commands
    .add("use <model>", "use this model for search, and download it if necessary")
    .addHelpText(
      "after",
      "\nSearch keeps working: meetings get the model's vectors in the background. `builtin` is the model included with the server.",
    )
    .run(async ({ embeddings }, name, options) => {
      // Checks before a download whether the model can be used.
      await embeddings.status.query();
      if (name !== "builtin") await fetchModel(program.getConfig(), name);
      await show(program.getConfig(), options, await embeddings.use.mutate({ model: name }));
    });
  commands
    .add("off", "search by words only")
    .run(async ({ embeddings }, options) =>
      show(program.getConfig(), options, await embeddings.use.mutate({ model: "off" })),
    );
}

/** Downloads a model and its runtime if they are missing. */
async function fetchModel(config: Config, name: string): Promise<void> {
  const known = listModels(config.EMBEDDINGS_LIST);
  const model = known.find((one) => one.name === name);
  if (!model)
    throw new UsageError(`Unknown model. Available: builtin, ${known.map(({ name }) => name).join(", ")}.`);
  const models = getModelsDirectory(config);
  const megabytes = Math.ceil(getSize(model) / MEGABYTE);
  await withProgress(megabytes, `MB of ${name}`, (progress) =>
    downloadModel(models, model, {
      mirror: config.EMBEDDINGS_MIRROR,
      onProgress: (bytes) => progress.update(Math.round(bytes / MEGABYTE)),
    }),
  );
  if (loadRuntime(getModelDirectory(models, model))) return;
  note("Installing the model runtime, half a gigabyte …");
  if (!(await installRuntime(models)))
    throw new DownloadError(`npm could not install the model runtime. Try: ${describeInstallation(models)}`);
}

async function show(config: Config, options: CommonOptions, status: EmbeddingsStatus): Promise<void> {
  const downloadable = await Promise.all(
    listModels(config.EMBEDDINGS_LIST).map(async (model) => ({
      name: model.name,
      megabytes: Math.ceil(getSize(model) / MEGABYTE),
      languages: model.languages,
      licence: model.licence,
      installed: await isInstalled(getModelsDirectory(config), model),
    })),
  );
  const builtin = {
    name: "builtin",
    megabytes: 24,
    languages: "English",
    licence: "Apache-2.0",
    installed: true,
  };
  const models = [builtin, ...downloadable];
  print(options, { ...status, models }, [
    ...describe(status),
    "",
    ...formatTable(models, {
      MODEL: ({ name }) => name,
      MB: ({ megabytes }) => megabytes,
      LANGUAGES: ({ languages }) => languages,
      LICENCE: ({ licence }) => licence,
      HERE: ({ installed }) => (installed ? "yes" : "no"),
    }),
  ]);
}

/** Describes the search mode in sentences. */
function describe({ setting, chosen, search, meetings, vectors }: EmbeddingsStatus): string[] {
  return [
    ...(search ? [describeState(search)] : []),
    setting ? `EMBEDDINGS decides: ${setting}` : `chosen: ${chosen ?? "nothing, so the default"}`,
    ...vectors.map(({ model, meetings: made }) => `${made} of ${meetings} meetings have vectors of ${model}`),
    ...(vectors.length === 0 ? [`none of ${meetings} meetings have vectors`] : []),
  ];
}

function describeState(state: NonNullable<EmbeddingsStatus["search"]>): string {
  if (state.mode === "words") return `search goes by words: ${state.reason}`;
  if (state.mode === "failing") return `search goes by words, because ${state.name} fails`;
  return `search goes by words and meaning: ${state.name}`;
}
