// Transcribes in a process of its own. JavaScript, so that the bundle and the sources load the same file.
import { createRequire } from "node:module";
import { join } from "node:path";

const [directory, repository, name, threads] = process.argv.slice(2);
const { env, AutoTokenizer, AutoProcessor, WhisperForConditionalGeneration, Tensor } = createRequire(
  join(directory, "package.json"),
)("@huggingface/transformers");

/** Maximum number of tokens of a window, and of the vocabulary in front of them. The model has 448 places. */
const TOKENS = 224;
const PROMPT_TOKENS = 200;
const SECONDS_PER_STEP = 0.02;

/** Loads the model from its directory. Nothing is downloaded. */
async function load() {
  env.allowRemoteModels = false;
  env.localModelPath = join(directory, repository);
  const options = { dtype: "q8", session_options: { intraOpNumThreads: Number(threads) } };
  const [tokenizer, processor, model] = await Promise.all([
    AutoTokenizer.from_pretrained(name),
    AutoProcessor.from_pretrained(name),
    WhisperForConditionalGeneration.from_pretrained(name, options),
  ]);
  return { tokenizer, processor, model };
}

/** Finds the language that is spoken: the most likely one after the first token. */
async function detectLanguage({ model, start, languages }, features) {
  const ids = new Tensor("int64", [BigInt(start)], [1, 1]);
  const { logits } = await model({ input_features: features, decoder_input_ids: ids });
  return languages.reduce((best, id) => (logits.data[id] > logits.data[best] ? id : best));
}

/** Splits tokens at their times. Speech without an end lasts until the window's. */
function toSegments({ tokenizer, firstTime }, tokens, seconds) {
  const segments = [];
  let [start, words] = [null, []];
  const finish = (end) => {
    const text = tokenizer.decode(words, { skip_special_tokens: true }).trim();
    if (text !== "") segments.push({ text, start: start ?? 0, end: Math.max(start ?? 0, end) });
    [start, words] = [null, []];
  };
  for (const token of tokens) {
    if (token < firstTime) {
      words.push(token);
      continue;
    }
    const time = Math.min(seconds, (token - firstTime) * SECONDS_PER_STEP);
    if (words.length > 0) finish(time);
    else start = time;
  }
  if (words.length > 0) finish(seconds);
  return segments;
}

/** Transcribes at most 30 seconds of 16,000 samples. */
async function transcribe(whisper, { samples, prompt, language: known, tokens: exactly }) {
  const { model, tokenizer, processor, start, task, previous } = whisper;
  const pcm = new Int16Array(samples.buffer, samples.byteOffset, samples.byteLength / 2);
  const { input_features: features } = await processor(Float32Array.from(pcm, (value) => value / 32_768));
  const language = known ?? (await detectLanguage(whisper, features));
  const terms = prompt ? tokenizer.encode(` ${prompt}`, { add_special_tokens: false }) : [];
  const context = terms.length > 0 ? [previous, ...terms.slice(0, PROMPT_TOKENS)] : [];
  const output = await model.generate({
    inputs: features,
    decoder_input_ids: [...context, start, language, task],
    ...(exactly
      ? { min_new_tokens: exactly, max_new_tokens: exactly }
      : { return_timestamps: true, max_new_tokens: TOKENS, no_repeat_ngram_size: 6 }),
  });
  const tokens = output
    .tolist()[0]
    .map(Number)
    .slice(context.length + 3);
  return { segments: toSegments(whisper, tokens, pcm.length / 16_000), language };
}

const loading = load().then(({ model, ...rest }) => {
  const { generation_config: config } = model;
  return {
    ...{ ...rest, model, start: config.decoder_start_token_id, task: config.task_to_id.transcribe },
    languages: Object.values(config.lang_to_id),
    firstTime: config.no_timestamps_token_id + 1,
    previous: config.no_timestamps_token_id - 2,
  };
});
// Reported with the first answer.
loading.catch(() => {});

process.on("message", async (request) => {
  try {
    process.send({ done: await transcribe(await loading, request) });
  } catch {
    // What a parser or the model says can contain speech.
    process.send({ failed: true });
  }
});
process.on("disconnect", () => process.exit());
