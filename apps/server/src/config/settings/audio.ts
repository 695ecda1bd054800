import { httpUrl, type SettingsGroup, text } from "./rules.js";

export const AUDIO = {
  title: "Audio",
  settings: {
    TRANSCRIBER_URL: {
      schema: httpUrl.optional(),
      must: "the base address of an OpenAI-compatible API, such as https://stt.example.com/v1",
      text: "An OpenAI-compatible API that transcribes recordings at `/audio/transcriptions` ([audio](audio.md)).",
      unset: "the model that `minutes transcriber use` installed; without one, audio is refused",
      example: "https://stt.example.com/v1",
    },
    TRANSCRIBER_MODEL: {
      schema: text.optional(),
      must: "the name of the transcriber's model",
      text: "Its model.",
      example: "whisper-1",
    },
    TRANSCRIBER_KEY: {
      schema: text.optional(),
      must: "the transcriber's API key",
      text: "Its API key.",
      example: "replace-me",
    },
    AUDIO_DIR: {
      schema: text.optional(),
      must: "a directory for audio",
      text: "Directory for uploaded audio until it is transcribed, and for [kept audio](audio.md#keep-audio), encrypted. On PostgreSQL, all processes share it.",
      unset: "next to the embedded database; on PostgreSQL, audio can't be uploaded",
      example: "/var/lib/minutes/audio",
    },
  },
} as const satisfies SettingsGroup;
