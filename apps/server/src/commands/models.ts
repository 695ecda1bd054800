import type { Config } from "../config/config.js";
import { getSize, MODELS } from "../search/models/catalogue.js";
import { DownloadError, downloadModel, getModelDirectory, isInstalled } from "../search/models/download.js";
import { describeInstallation, installRuntime, loadRuntime } from "../search/models/runtime.js";
import { getModelsDirectory } from "../search/similarity.js";
import { UsageError } from "./cli/exit.js";
import { type CommonOptions, formatTable, note, print, withProgress } from "./cli/output.js";
import type { EmbeddingsStatus } from "./procedures/embeddings.js";

const MEGABYTE = 1_000_000;

/** Downloads a model and its runtime if they are missing. */
export async function fetchModel(config: Config, name: string): Promise<void> {
  const model = MODELS.find((one) => one.name === name);
  if (!model)
    throw new UsageError(`Unknown model. Available: builtin, ${MODELS.map(({ name }) => name).join(", ")}.`);
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

/** Prints the search mode and the models. */
export async function showModels(
  config: Config,
  options: CommonOptions,
  status: EmbeddingsStatus,
): Promise<void> {
  const downloadable = await Promise.all(
    MODELS.map(async (model) => ({
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
  if (state.mode === "failing")
    return `search goes by words, because ${state.name} fails: the server retries it, and its log says why`;
  return `search goes by words and meaning: ${state.name}`;
}
