import { parseArgs } from "node:util";
import { setSearchLanguage } from "@minutes/search";
import type { BenchMeeting } from "./dataset.js";
import { GERMAN_MEETINGS, GERMAN_OTHER_WORDS, GERMAN_SAME_WORDS, type GermanQuestion } from "./german.js";
import { MODES, type Service, startService } from "./service.js";

/**
 * `pnpm bench:search:german [--mode words|builtin|endpoint|local] [--language simple --language german]`
 *
 * Asks twenty German questions about 22 German excerpts through the public API, and prints the mean reciprocal rank of the
 * right one (100 ×, ten results) and how many questions have it among them. Each turn is imported as a meeting of its
 * own, since the meetings are so short that an excerpt would be a whole one. `--mode endpoint` uses the model that
 * EMBEDDINGS_URL and EMBEDDINGS_MODEL name.
 */
const { values: options } = parseArgs({
  options: {
    mode: { type: "string", default: "words" },
    language: { type: "string", multiple: true, default: ["simple", "german"] },
  },
});
const mode = MODES.find((known) => known === options.mode);
if (!mode) throw new Error(`--mode is one of ${MODES.join(", ")}`);
const OWNER = "lena@example.com";
const RESULTS = 10;

for (const language of options.language) {
  const service = await startService({}, mode);
  try {
    if (!(await setSearchLanguage(service.connection.db, language))) throw new Error(`no ${language}`);
    const { key } = await service.createPerson(OWNER);
    for (const meeting of GERMAN_MEETINGS)
      for (const turn of splitTurns(meeting)) await service.import(OWNER, turn);
    await service.waitForVectors();
    for (const [name, questions] of [
      ["same words", GERMAN_SAME_WORDS],
      ["other words", GERMAN_OTHER_WORDS],
    ] as const)
      console.log(`${language}, ${mode}, ${name}: ${await measure(service, key, questions)}`);
  } finally {
    await service.close();
  }
}

function splitTurns(meeting: BenchMeeting): BenchMeeting[] {
  return meeting.segments.map((segment, at) => ({
    ...meeting,
    id: `${meeting.id}-${at}`,
    title: "Besprechung",
    segments: [segment],
  }));
}

/** Runs the questions and describes how well the right excerpts are found. */
async function measure(service: Service, key: string, questions: readonly GermanQuestion[]): Promise<string> {
  let sum = 0;
  let found = 0;
  for (const [question, meeting, words] of questions) {
    const results = await service.search(key, question, "2026-01-01", "2026-12-31");
    const rank = results
      .slice(0, RESULTS)
      .findIndex(({ meetingId, text }) => meetingId.startsWith(`${meeting}-`) && text.includes(words));
    if (rank < 0) continue;
    sum += 1 / (rank + 1);
    found += 1;
  }
  return `${((100 * sum) / questions.length).toFixed(1)}, ${found} of ${questions.length} found`;
}
