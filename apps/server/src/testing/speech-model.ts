import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SpeechModel } from "../operations/transcriber/catalogue.js";

/** Number of the first token that is a time. */
const FIRST_TIME = 100;

/**
 * A runtime that hears what is loud. It answers with the length of the sound, with the environment's variables, or as the vocabulary
 * asks: `fail` throws, `die` ends the process, `hang` never answers.
 */
const RUNTIME = `
const config = {
  decoder_start_token_id: 3, no_timestamps_token_id: ${FIRST_TIME - 1},
  lang_to_id: { "<|en|>": 5, "<|de|>": 6 }, task_to_id: { transcribe: 4 },
};
let said = "";
class Tensor {}
const from = (value) => ({ from_pretrained: async () => value });
const tokenizer = { encode: (text) => [...text].map((one) => one.codePointAt(0)), decode: () => said };
const processor = async (samples) => ({ input_features: samples });
const model = Object.assign(async () => ({ logits: { data: [0, 0, 0, 0, 0, 0, 1] } }), {
  generation_config: config,
  generate: async ({ inputs, decoder_input_ids: ids, min_new_tokens }) => {
    const prompt = String.fromCodePoint(...ids.slice(1, -3));
    if (prompt.includes("fail")) throw new Error("a secret was said");
    if (prompt.includes("die")) process.exit(1);
    if (prompt.includes("hang")) await new Promise(() => setInterval(() => {}, 1_000));
    const names = Object.keys(process.env).filter((name) => !name.startsWith("NODE_CHANNEL"));
    said = [inputs.length / 16_000 + " s", "language " + ids.at(-2), ...names, prompt.trim()].join(", ");
    const end = ${FIRST_TIME} + Math.round(inputs.length / 320);
    return { tolist: () => [[...ids, ${FIRST_TIME}, 50, end]] };
  },
});
module.exports = {
  env: {}, Tensor, AutoTokenizer: from(tokenizer), AutoProcessor: from(processor), WhisperForConditionalGeneration: from(model),
};`;

/** Writes a model's runtime that needs no model. */
export async function writeSpeechRuntime(directory: string): Promise<void> {
  const path = join(directory, "node_modules/@huggingface/transformers");
  await mkdir(path, { recursive: true });
  await writeFile(join(path, "index.js"), RUNTIME);
}

/** Pretends that a model was installed. */
export async function writeInstalledModel(
  dataDir: string,
  { name, revision }: SpeechModel,
  speed = 5,
): Promise<void> {
  const directory = join(dataDir, "models/speech", `${name}-${revision}`);
  await writeSpeechRuntime(directory);
  await writeFile(join(directory, "installed.json"), JSON.stringify({ speed }));
}
