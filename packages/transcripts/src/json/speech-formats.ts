import type { Transcript } from "../transcript.js";
import { UNNAMED } from "../transcript.js";
import {
  get,
  getList,
  getText,
  joinWords,
  listNotStored,
  type Piece,
  toInstantText,
  toNumberedSpeaker,
  toSpeech,
  type Word,
} from "./fields.js";
import type { JsonFormat } from "./format.js";

/** Reads segments `{speaker?, text, start, end}` in seconds. */
const readSegments = (list: readonly unknown[]): Piece[] =>
  list.map((one) => ({
    speaker:
      toLabel(get(one, "speaker", "speaker_label", "speaker_id")) ??
      getMostFrequentSpeaker(getList(one, "words")),
    text: get(one, "text"),
    start: get(one, "start", "timestamp.0"),
    end: get(one, "end", "timestamp.1"),
  }));

/** Converts a speaker's label; numbers are numbered from 1. */
const toLabel = (label: unknown): string | undefined =>
  toNumberedSpeaker(label) ?? (typeof label === "string" && label.trim() !== "" ? label : undefined);

function getMostFrequentSpeaker(words: readonly unknown[]): string | undefined {
  const counts = new Map<string, number>();
  for (const word of words) {
    const speaker = toLabel(get(word, "speaker"));
    if (speaker !== undefined) counts.set(speaker, (counts.get(speaker) ?? 0) + 1);
  }
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0];
}

/** Results of speech recognition, in which speakers are numbered or unknown. */
export const SPEECH_FORMATS: readonly JsonFormat[] = [
  {
    name: "a transcript of whisper.cpp",
    shape: ["transcription[].text", "transcription[].offsets.from"],
    read: (value) => ({
      ...UNNAMED,
      ...toSpeech(
        getList(value, "transcription").map((one) => ({
          speaker: toLabel(get(one, "speaker")),
          text: get(one, "text"),
          start: get(one, "offsets.from"),
          end: get(one, "offsets.to"),
        })),
        "milliseconds",
      ),
    }),
  },
  {
    name: "a transcript of Deepgram",
    shape: ["results.channels[].alternatives"],
    read: (value) => {
      const channels = getList(value, "results.channels");
      const several = channels.length > 1;
      const name = (speaker: unknown, channel: unknown) =>
        toNumberedSpeaker(speaker) ??
        (several && typeof channel === "number" ? `Channel ${channel + 1}` : undefined);
      const utterances = getList(value, "results.utterances");
      const pieces =
        utterances.length > 0
          ? utterances.map((one) => ({
              speaker: name(get(one, "speaker"), get(one, "channel")),
              text: get(one, "transcript"),
              start: get(one, "start"),
              end: get(one, "end"),
            }))
          : channels.flatMap((channel, at) => readDeepgramChannel(channel, (speaker) => name(speaker, at)));
      return {
        ...UNNAMED,
        ...toSpeech(several ? sortByStart(pieces) : pieces),
        startTime: toInstantText(get(value, "metadata.created")),
        notes: getText(value, "results.summary.short"),
        notStored: listNotStored(value, ["results.topics", "results.intents", "results.sentiments"]),
      };
    },
  },
  {
    name: "a transcript of AssemblyAI",
    shape: ["words|utterances", "text", "audio_duration|audio_url|language_model|acoustic_model"],
    read: readAssembly,
  },
  {
    name: "utterances of AssemblyAI",
    shape: ["utterances[].text", "utterances[].speaker"],
    read: readAssembly,
  },
  {
    name: "a transcript of Speechmatics",
    shape: ["results[].alternatives[].content", "results[].type", "results[].start_time"],
    read: (value) => {
      const space = get(value, "metadata.language_pack_info.word_delimiter");
      const words = getList(value, "results").flatMap((one): Word[] => {
        const best = get(getList(one, "alternatives")[0], "content");
        const speaker = getText(getList(one, "alternatives")[0], "speaker") ?? getText(one, "channel");
        if (typeof best !== "string") return [];
        const close = get(one, "type") === "punctuation" && get(one, "attaches_to") !== "next";
        const known = speaker === "UU" || speaker === undefined ? undefined : speaker;
        return [
          { speaker: known, text: best, start: get(one, "start_time"), end: get(one, "end_time"), close },
        ];
      });
      return {
        ...UNNAMED,
        ...toSpeech(joinWords(words, typeof space === "string" ? space : " ")),
        startTime: undefined,
        notes: getText(value, "summary.content"),
        notStored: listNotStored(value, ["topics", "chapters", "sentiment_analysis", "audio_events"]),
      };
    },
  },
  {
    name: "a transcript of Amazon Transcribe",
    shape: ["results.items[].alternatives[].content", "results.transcripts|results.items[].type"],
    read: (value) => {
      const labels = new Map<string, string>();
      for (const segment of getList(value, "results.speaker_labels.segments"))
        for (const item of getList(segment, "items"))
          labels.set(
            String(get(item, "start_time")),
            String(get(item, "speaker_label") ?? get(segment, "speaker_label")),
          );
      const channels = getList(value, "results.channel_labels.channels");
      const lists = channels.length > 0 ? channels : [get(value, "results")];
      const pieces = lists.flatMap((list) => {
        const channel = getText(list, "channel_label");
        return joinWords(
          getList(list, "items").map((item) => ({
            speaker: getText(item, "speaker_label") ?? labels.get(String(get(item, "start_time"))) ?? channel,
            text: String(get(getList(item, "alternatives")[0], "content") ?? ""),
            start: get(item, "start_time"),
            end: get(item, "end_time"),
            close: get(item, "type") === "punctuation",
          })),
        );
      });
      return { ...UNNAMED, ...toSpeech(channels.length > 0 ? sortByStart(pieces) : pieces) };
    },
  },
  {
    name: "a call of Amazon Transcribe Call Analytics",
    shape: ["Transcript[].Content", "Transcript[].ParticipantRole"],
    read: (value) => ({
      ...UNNAMED,
      ...toSpeech(
        getList(value, "Transcript").map((one) => ({
          speaker: getText(one, "ParticipantRole"),
          text: get(one, "Content"),
          start: get(one, "BeginOffsetMillis"),
          end: get(one, "EndOffsetMillis"),
        })),
        "milliseconds",
      ),
      notStored: listNotStored(value, ["Categories", "ConversationCharacteristics"]),
    }),
  },
  {
    name: "a transcript of Rev",
    shape: ["monologues[].elements[].value"],
    read: (value) => {
      const names = new Map(getList(value, "speakers").map((one) => [get(one, "id"), getText(one, "name")]));
      return {
        ...UNNAMED,
        ...toSpeech(
          getList(value, "monologues").map((one) => {
            const elements = getList(one, "elements");
            const speaker = get(one, "speaker");
            return {
              speaker:
                getText(one, "speaker_name", "speaker_info.display_name") ??
                names.get(speaker) ??
                toNumberedSpeaker(speaker),
              text: elements.map((element) => String(get(element, "value") ?? "")).join(""),
              start: get(
                elements.find((element) => get(element, "ts", "timestamp") !== undefined),
                "ts",
                "timestamp",
              ),
              end: get(
                elements.findLast((element) => get(element, "end_ts", "end_timestamp") !== undefined),
                "end_ts",
                "end_timestamp",
              ),
            };
          }),
        ),
      };
    },
  },
  {
    name: "a transcript of Azure Speech",
    shape: ["recognizedPhrases[].nBest[].display"],
    read: (value) => ({
      ...UNNAMED,
      ...toSpeech(
        getList(value, "recognizedPhrases").map((one) => {
          const start = Number(get(one, "offsetInTicks") ?? Number.NaN) / 1e7;
          const length = Number(get(one, "durationInTicks") ?? Number.NaN) / 1e7;
          const speaker = get(one, "speaker");
          return {
            speaker: typeof speaker === "number" ? `Speaker ${speaker}` : undefined,
            text: get(getList(one, "nBest")[0], "display"),
            start,
            end: start + length,
          };
        }),
      ),
    }),
  },
  {
    name: "a transcript of Gladia",
    shape: ["transcription.utterances[].text|result.transcription.utterances[].text"],
    read: (value) => ({
      ...UNNAMED,
      ...toSpeech(
        readSegments(getList(value, "transcription.utterances", "result.transcription.utterances")),
      ),
    }),
  },
  {
    name: "a transcript of ElevenLabs",
    shape: ["words[].speaker_id", "words[].type", "words[].text"],
    read: (value) => ({
      ...UNNAMED,
      ...toSpeech(
        joinWords(
          getList(value, "words").map((word) => ({
            speaker: toLabel(get(word, "speaker_id")),
            text: String(get(word, "text") ?? ""),
            start: get(word, "start"),
            end: get(word, "end"),
          })),
          "",
        ),
      ),
    }),
  },
  {
    name: "a transcript of Soniox",
    shape: ["tokens[].text", "tokens[].start_ms"],
    read: (value) => ({
      ...UNNAMED,
      ...toSpeech(
        joinWords(
          getList(value, "tokens").map((word) => ({
            speaker:
              getText(word, "speaker") === undefined
                ? toLabel(get(word, "speaker"))
                : `Speaker ${getText(word, "speaker")}`,
            text: String(get(word, "text") ?? ""),
            start: get(word, "start_ms"),
            end: get(word, "end_ms"),
          })),
          "",
        ),
        "milliseconds",
      ),
    }),
  },
  {
    name: "a transcript of Whisper",
    shape: ["segments[].text", "segments[].start"],
    read: (value) => ({ ...UNNAMED, ...toSpeech(readSegments(getList(value, "segments"))) }),
  },
  {
    name: "a transcript of Whisper with chunks",
    shape: ["chunks[].text", "chunks[].timestamp"],
    read: (value) => ({
      ...UNNAMED,
      ...toSpeech(
        readSegments(
          getList(get(value, "speakers") ? value : {}, "speakers").length > 0
            ? getList(value, "speakers")
            : getList(value, "chunks"),
        ),
      ),
    }),
  },
];

/** Names a speaker who has only a letter. */
const toLetteredSpeaker = (letter: unknown): string | undefined =>
  typeof letter === "string" && /^[A-Z\d]{1,2}$/.test(letter) ? `Speaker ${letter}` : toLabel(letter);

const sortByStart = (pieces: readonly Piece[]): Piece[] =>
  [...pieces].sort((one, other) => Number(one.start ?? 0) - Number(other.start ?? 0));

function readDeepgramChannel(channel: unknown, name: (speaker: unknown) => string | undefined): Piece[] {
  const best = getList(channel, "alternatives")[0];
  const paragraphs = getList(best, "paragraphs.paragraphs");
  if (paragraphs.length > 0) {
    return paragraphs.map((one) => ({
      speaker: name(get(one, "speaker")),
      text: getList(one, "sentences")
        .map((sentence) => getText(sentence, "text") ?? "")
        .join(" "),
      start: get(one, "start"),
      end: get(one, "end"),
    }));
  }
  const words = getList(best, "words");
  if (words.length === 0) return [{ speaker: name(undefined), text: get(best, "transcript") }];
  return joinWords(
    words.map((word) => ({
      speaker: name(get(word, "speaker")),
      text: getText(word, "punctuated_word", "word") ?? "",
      start: get(word, "start"),
      end: get(word, "end"),
    })),
  );
}

function readAssembly(value: unknown): Transcript {
  const utterances = getList(value, "utterances");
  const pieces =
    utterances.length > 0
      ? utterances.map((one) => ({
          speaker: toLetteredSpeaker(get(one, "speaker") ?? get(one, "channel")),
          text: get(one, "text"),
          start: get(one, "start"),
          end: get(one, "end"),
        }))
      : joinWords(
          getList(value, "words").map((word) => ({
            speaker: toLetteredSpeaker(get(word, "speaker")),
            text: String(get(word, "text") ?? ""),
            start: get(word, "start"),
            end: get(word, "end"),
          })),
        );
  return {
    ...UNNAMED,
    ...toSpeech(
      pieces.length > 0 ? pieces : [{ speaker: undefined, text: get(value, "text") }],
      "milliseconds",
    ),
    notes: getText(value, "summary"),
    notStored: listNotStored(value, [
      "chapters",
      "auto_highlights_result",
      "entities",
      "sentiment_analysis_results",
      "iab_categories_result",
    ]),
  };
}
