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
  "json",
  "jsonl",
  "ndjson",
];

/** Returns true for a name with the extension of a format that can be read, in upper or lower case. */
export const hasKnownExtension = (name: string): boolean =>
  EXTENSIONS.some((extension) => name.toLowerCase().endsWith(`.${extension}`));
