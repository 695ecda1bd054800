import { UNNAMED } from "../transcript.js";
import {
  get,
  getList,
  getText,
  joinWords,
  listNotStored,
  toInstantText,
  toMilliseconds,
  toNumberedSpeaker,
  toSpeech,
} from "./fields.js";
import type { JsonFormat } from "./format.js";
import { findEmail, getPeople, toEmail } from "./people.js";

/** Transcripts of meeting bots and of the meeting services' own interfaces. */
export const RECORDER_FORMATS: readonly JsonFormat[] = [
  {
    name: "a transcript of Recall",
    shape: ["[].words[].text", "[].participant|[].speaker"],
    read: (value) => {
      const first = get(getList(getList(value, "")[0], "words")[0], "start_timestamp");
      const pieces = getList(value, "").map((one) => {
        const words = getList(one, "words");
        return {
          speaker:
            getText(one, "participant.name", "speaker") ??
            toNamed("Participant", get(one, "participant.id", "speaker_id")),
          email: toEmail(getText(one, "participant.email")),
          text: joinWords(words.map((word) => ({ speaker: undefined, text: getText(word, "text") ?? "" })))[0]
            ?.text,
          start: get(words[0], "start_timestamp.relative", "start_timestamp", "start_time"),
          end: get(words.at(-1), "end_timestamp.relative", "end_timestamp", "end_time"),
        };
      });
      const [absolute, relative] = [toMilliseconds(get(first, "absolute")), get(first, "relative")];
      const began =
        absolute === undefined ? undefined : absolute - (typeof relative === "number" ? relative : 0) * 1000;
      return {
        ...UNNAMED,
        ...toSpeech(pieces),
        startTime: began === undefined ? undefined : toInstantText(began),
      };
    },
  },
  {
    name: "a transcript of Attendee",
    shape: ["[].speaker_name|[].speaker_uuid", "[].timestamp_ms", "[].transcription"],
    read: (value) => {
      const list = getList(value, "");
      const absolute = Number(get(list[0], "timestamp_ms")) > 1e11;
      const speech = toSpeech(
        list.map((one) => ({
          speaker: getText(one, "speaker_name") ?? toNamed("Participant", get(one, "speaker_uuid")),
          text: getText(one, "transcription.transcript", "transcription"),
          start: get(one, "timestamp_ms"),
          end: Number(get(one, "timestamp_ms")) + Number(get(one, "duration_ms") ?? 0),
        })),
        absolute ? "instants" : "milliseconds",
      );
      return { ...UNNAMED, ...speech };
    },
  },
  {
    name: "a transcript of Vexa",
    shape: ["segments[].text", "native_meeting_id|platform"],
    read: (value) => ({
      ...UNNAMED,
      ...toSpeech(
        getList(value, "segments").map((one) => ({
          speaker: getText(one, "speaker"),
          text: get(one, "text"),
          start: get(one, "start", "start_time"),
          end: get(one, "end", "end_time"),
        })),
      ),
      title: getText(value, "data.name", "name", "title"),
      startTime: toInstantText(get(value, "start_time")),
      endTime: toInstantText(get(value, "end_time")),
    }),
  },
  {
    name: "a transcript of the Google Meet API",
    shape: ["transcriptEntries[].text|[].languageCode", "transcriptEntries[].participant|[].participant"],
    read: (value) => {
      const names = new Map(
        getList(value, "participants").map((one) => [
          getText(one, "name"),
          getText(one, "signedinUser.displayName", "anonymousUser.displayName", "phoneUser.displayName"),
        ]),
      );
      return {
        ...UNNAMED,
        ...toSpeech(
          getList(value, "transcriptEntries", "").map((one) => ({
            speaker: names.get(getText(one, "participant")) ?? getText(one, "participantName", "participant"),
            text: get(one, "text"),
            start: get(one, "startTime"),
            end: get(one, "endTime"),
          })),
          "instants",
        ),
      };
    },
  },
  {
    name: "a transcript of Microsoft Stream",
    shape: ["entries[].text", "entries[].speakerDisplayName|entries[].startOffset"],
    read: (value) => ({
      ...UNNAMED,
      ...toSpeech(
        getList(value, "entries").map((one) => ({
          speaker: getText(one, "speakerDisplayName"),
          text: get(one, "text"),
          start: get(one, "startOffset", "startoffset"),
          end: get(one, "endOffset", "endoffset"),
        })),
      ),
    }),
  },
  {
    name: "metadata of a Teams transcript",
    shape: ["[].spokenText", "[].speakerName"],
    read: (value) => ({
      ...UNNAMED,
      ...toSpeech(
        getList(value, "").map((one) => ({
          speaker: getText(one, "speakerName"),
          text: get(one, "spokenText"),
          start: get(one, "startDateTime"),
          end: get(one, "endDateTime"),
        })),
        "instants",
      ),
    }),
  },
  {
    name: "a call of Gong",
    shape: ["callTranscripts[].transcript[].sentences[].text"],
    read: (value) => {
      const call = getList(value, "callTranscripts")[0];
      return {
        ...UNNAMED,
        ...toSpeech(
          getList(call, "transcript").flatMap((monologue) =>
            getList(monologue, "sentences").map((one) => ({
              speaker: toNamed("Speaker", get(monologue, "speakerId")),
              text: get(one, "text"),
              start: get(one, "start"),
              end: get(one, "end"),
            })),
          ),
          "milliseconds",
        ),
      };
    },
  },
  {
    name: "a transcript of tl;dv",
    shape: [
      "data[].text|transcript.data[].text",
      "data[].speaker|transcript.data[].speaker",
      "meetingId|meeting|transcript.meetingId",
    ],
    read: (value) => {
      const people = [
        ...getPeople(value, "meeting.invitees", "invitees"),
        ...getPeople({ list: [get(value, "meeting.organizer", "organizer")] }, "list"),
      ];
      return {
        ...UNNAMED,
        ...toSpeech(
          getList(value, "data", "transcript.data").map((one) => ({
            speaker: getText(one, "speaker"),
            email: findEmail(people, getText(one, "speaker")),
            text: get(one, "text"),
            start: get(one, "startTime", "start"),
            end: get(one, "endTime", "end"),
          })),
        ),
        title: getText(value, "meeting.name", "name"),
        startTime: toInstantText(get(value, "meeting.happenedAt", "happenedAt")),
        notStored: listNotStored(value, ["highlights"]),
      };
    },
  },
  {
    name: "a transcript of Happy Scribe",
    shape: ["[].words[].text", "[].words[].data_start"],
    read: (value) => ({
      ...UNNAMED,
      ...toSpeech(
        getList(value, "").map((one) => {
          const words = getList(one, "words");
          return {
            speaker: getText(one, "speaker") ?? toNumberedSpeaker(get(one, "speaker_number")),
            text: words
              .map((word) => String(get(word, "text") ?? ""))
              .join("")
              .replace(/\s+/g, " "),
            start: get(words[0], "data_start"),
            end: get(words.at(-1), "data_end"),
          };
        }),
      ),
    }),
  },
  {
    name: "a transcript of Sonix",
    shape: [
      "transcript[].text",
      "transcript[].start_time",
      "transcript[].words|transcript[].end_time",
      "name|id",
    ],
    read: (value) => ({
      ...UNNAMED,
      ...toSpeech(
        getList(value, "transcript").map((one) => ({
          speaker: getText(one, "speaker.name", "speaker"),
          text: get(one, "text"),
          start: get(one, "start_time"),
          end: get(one, "end_time"),
        })),
      ),
      title: getText(value, "name"),
    }),
  },
];

/** Names a person who has only an ID. */
const toNamed = (kind: string, id: unknown): string | undefined =>
  typeof id === "string" || typeof id === "number" ? `${kind} ${id}` : undefined;
