/** File extensions of the formats that can be read. */
export const EXTENSIONS = [
  "vtt",
  "srt",
  "sbv",
  "ass",
  "ssa",
  "ttml",
  "dfxp",
  "txt",
  "text",
  "md",
  "markdown",
  "docx",
  "csv",
  "tsv",
  "json",
  "jsonl",
  "ndjson",
];

/** Returns true for a name with the extension of a format that can be read, in upper or lower case. */
export const hasKnownExtension = (name: string): boolean =>
  EXTENSIONS.some((extension) => name.toLowerCase().endsWith(`.${extension}`));

/** File extensions of audio. */
export const AUDIO_EXTENSIONS = ["mp3", "wav", "m4a", "ogg", "flac", "webm"];

/** Returns true for a name with the extension of audio, in upper or lower case. */
export const hasAudioExtension = (name: string): boolean =>
  AUDIO_EXTENSIONS.some((extension) => name.toLowerCase().endsWith(`.${extension}`));
