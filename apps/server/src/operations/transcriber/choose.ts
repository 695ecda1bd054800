import { resolve } from "node:path";
import { LIMITS } from "@minutes/contract";
import type { Transcriber, TranscriberOptions } from "@minutes/core";
import type { Config } from "../../config/config.js";
import { toTranscriber } from "../../config/config.js";
import type { Converter } from "../audio/convert.js";
import type { SpeechModel } from "./catalogue.js";
import type { InstalledModel } from "./install.js";

/** An endpoint that settings name, or else a model that is installed here. */
export type TranscriberChoice =
  | { readonly kind: "endpoint"; readonly endpoint: TranscriberOptions }
  | {
      readonly kind: "local";
      readonly model: SpeechModel;
      readonly installed: InstalledModel;
      /** Decodes what the model hears; without, nothing can be transcribed. */
      readonly converter: Converter | null;
    };

/**
 * Finds out what transcribes recordings; null if nothing does.
 * @param path where programs are, as in `PATH`
 */
export async function chooseTranscriber(
  config: Config,
  path: string | undefined,
): Promise<TranscriberChoice | null> {
  const endpoint = toTranscriber(config);
  if (endpoint) return { kind: "endpoint", endpoint };
  const [{ SPEECH_MODELS }, { findInstalled }] = await Promise.all([
    import("./catalogue.js"),
    import("./install.js"),
  ]);
  for (const model of SPEECH_MODELS) {
    const installed = await findInstalled(config.DATA_DIR, model);
    if (!installed) continue;
    const { findConverter } = await import("../audio/convert.js");
    return { kind: "local", model, installed, converter: await findConverter(path) };
  }
  return null;
}

/** A transcriber that is ready. */
export interface OpenTranscriber {
  readonly transcribe: Transcriber;
  /** Maximum size in bytes of a recording sent in one request; 0 for the local model, which gets everything in parts. */
  readonly maxBytes: number;
  /** Frees its memory. */
  stop(): void;
}

/** Opens what was chosen; null if it needs programs that are missing. */
export async function openTranscriber(choice: TranscriberChoice): Promise<OpenTranscriber | null> {
  if (choice.kind === "endpoint") {
    const { createTranscriber } = await import("@minutes/core/transcriber");
    return { transcribe: createTranscriber(choice.endpoint), maxBytes: LIMITS.audioBytes, stop: () => {} };
  }
  const { model, installed, converter } = choice;
  if (!converter) return null;
  const { createLocalTranscriber } = await import("./local-transcriber.js");
  return { ...createLocalTranscriber({ model, converter, directory: installed.directory }), maxBytes: 0 };
}

/** Directory beside the embedded database in which commands keep what they have not finished. */
const UNFINISHED = "imports";

/** Prepares transcription for commands. The transcriber is opened on first use. */
export function prepareTranscription(getConfig: () => Config, path: string | undefined) {
  let opened: OpenTranscriber | null = null;
  return {
    path,
    getTranscriber: async () => {
      if (opened) return opened;
      const choice = await chooseTranscriber(getConfig(), path);
      opened = choice && (await openTranscriber(choice));
      return opened;
    },
    getDirectory: () => resolve(getConfig().DATA_DIR, UNFINISHED),
  };
}
