import type { Command } from "commander";
import { readEnv } from "../env.js";
import { getSize, listModels } from "../models/catalogue.js";
import { DownloadError, downloadModel, getModelDirectory, isInstalled } from "../models/download.js";
import { describeInstallation, installRuntime, loadRuntime } from "../models/runtime.js";
import type { EmbeddingsStatus } from "../operator/embeddings.js";
import { getModelsDirectory } from "../similarity.js";
import { UsageError } from "./failure.js";
import { type CommonOptions, formatTable, note, print, withProgress } from "./output.js";
import { addCommand, withOperator } from "./run.js";

const MEGABYTE = 1_000_000;

/** Adds `minutes embeddings …`. */
export function addEmbeddingsCommands(program: Command): void {
  const embeddings = program
    .command("embeddings")
    .description("the model with which search finds what was said in other words");

  addCommand(embeddings, "status", "show how search goes, and the models that there are").action(
    async (options) => {
      await show(options, await withOperator(({ embeddings }) => embeddings.status.query()));
    },
  );
  addCommand(embeddings, "use <model>", "search by this model; downloads it where it is not here yet")
    .addHelpText(
      "after",
      "\nSearch goes on meanwhile: meetings get the model's vectors in the background. `builtin` is the model that comes with the server.",
    )
    .action(async (name, options) => {
      const status = await withOperator(async ({ embeddings }) => {
        // Finds out before a download whether the model could be used.
        await embeddings.status.query();
        if (name !== "builtin") await fetchModel(name);
        return embeddings.use.mutate({ model: name });
      });
      await show(options, status);
    });
  addCommand(embeddings, "off", "search by words alone").action(async (options) => {
    await show(options, await withOperator(({ embeddings }) => embeddings.use.mutate({ model: "off" })));
  });
}

/** Brings a model to this machine, and what runs it, where they are not here. */
async function fetchModel(name: string): Promise<void> {
  const env = readEnv(process.env);
  const known = listModels(env.EMBEDDINGS_LIST);
  const model = known.find((one) => one.name === name);
  if (!model)
    throw new UsageError(`Unknown model. There are builtin, ${known.map(({ name }) => name).join(", ")}.`);
  const models = getModelsDirectory(env);
  const megabytes = Math.ceil(getSize(model) / MEGABYTE);
  await withProgress(megabytes, `MB of ${name}`, (progress) =>
    downloadModel(models, model, {
      mirror: env.EMBEDDINGS_MIRROR,
      onProgress: (bytes) => progress.update(Math.round(bytes / MEGABYTE)),
    }),
  );
  if (loadRuntime(getModelDirectory(models, model))) return;
  note("Installing what runs models, half a gigabyte …");
  if (!(await installRuntime(models)))
    throw new DownloadError(`npm could not install what runs models. Try: ${describeInstallation(models)}`);
}

async function show(options: CommonOptions, status: EmbeddingsStatus): Promise<void> {
  const env = readEnv(process.env);
  const downloadable = await Promise.all(
    listModels(env.EMBEDDINGS_LIST).map(async (model) => ({
      name: model.name,
      megabytes: Math.ceil(getSize(model) / MEGABYTE),
      languages: model.languages,
      licence: model.licence,
      installed: await isInstalled(getModelsDirectory(env), model),
    })),
  );
  const builtin = {
    name: "builtin",
    megabytes: 28,
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

/** Describes how search goes in sentences. */
function describe({ setting, chosen, search, meetings, vectors }: EmbeddingsStatus): string[] {
  return [
    ...(search ? [describeState(search)] : []),
    setting ? `EMBEDDINGS decides: ${setting}` : `chosen: ${chosen ?? "nothing, so the default"}`,
    ...vectors.map(({ model, meetings: made }) => `${made} of ${meetings} meetings have vectors of ${model}`),
    ...(vectors.length === 0 ? [`none of ${meetings} meetings has vectors`] : []),
  ];
}

function describeState(state: NonNullable<EmbeddingsStatus["search"]>): string {
  if (state.mode === "words") return `search goes by words: ${state.reason}`;
  if (state.mode === "failing") return `search goes by words, since ${state.name} fails`;
  return `search goes by words and meaning: ${state.name}`;
}
