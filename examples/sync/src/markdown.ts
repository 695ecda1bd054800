import type { SyncedMeeting } from "@minutes/client";

/** Returns `2026-03-14 Quarterly review (mtg_…).md`: day, title and id, without what file systems refuse. */
export function toFileName({ id, title, startTime }: SyncedMeeting): string {
  const readable = title
    .replace(/[^\p{L}\p{N}.,_-]+/gu, " ")
    .trim()
    .slice(0, 80)
    .trim();
  // Ids are opaque: whatever is in them, it is no path.
  return `${startTime.slice(0, 10)} ${readable} (${encodeURIComponent(id)}).md`;
}

/** Writes a meeting for a person to read. */
export function toMarkdown(meeting: SyncedMeeting): string {
  const { title, startTime, participants = [], tags = [], summary, tasks = [], transcript } = meeting;
  const names = participants.map(({ name }) => name).join(", ");
  const labels = tags.map(({ name }) => name).join(", ");
  const list = tasks.map(({ content, completed, assignee }) => {
    const who = assignee ? ` (${assignee.name})` : "";
    return `- [${completed ? "x" : " "}] ${content}${who}`;
  });
  const parts = [
    `# ${title}`,
    [startTime, names, labels].filter(Boolean).join(" · "),
    summary?.markdown,
    list.length > 0 ? `## Tasks\n\n${list.join("\n")}` : "",
    transcript ? `## Transcript\n\n${transcript}` : "",
  ];
  return `${parts.filter(Boolean).join("\n\n")}\n`;
}
