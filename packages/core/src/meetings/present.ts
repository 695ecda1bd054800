/** A turn of the transcript: who, and what was said. */
export interface Turn {
  readonly speaker: string;
  readonly text: string;
}

/** Escapes a speaker's name, so that it can't end its own bold print. */
const escapeName = (name: string): string => name.replace(/[\\*_`]/g, "\\$&");

/** Writes the whole transcript as Markdown: each speaker's name bold, then what was said. */
export const toTranscriptMarkdown = (turns: readonly Turn[]): string =>
  turns.map((turn) => `**${escapeName(turn.speaker)}**: ${turn.text}`).join("\n\n");
