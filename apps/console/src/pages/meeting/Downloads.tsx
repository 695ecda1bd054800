import { writeMarkdown, writeVtt } from "@minutes/transcripts/write";
import { type KeyboardEvent, useRef } from "react";
import { meClient } from "../../api/clients";
import { saveText } from "../../api/save";
import { tellFailure } from "../../components/actions";

const FORMATS = {
  Markdown: async (meetingId: string) => {
    const meeting = await meClient.meetings.get.query({ meetingId });
    saveText(`${meetingId}.md`, "text/markdown", writeMarkdown(meeting));
  },
  WebVTT: async (meetingId: string) => {
    const { segments } = await meClient.meetings.transcript.query({ meetingId });
    const turns = segments.map(({ speakerName, text, startSeconds, endSeconds }) => ({
      speaker: speakerName,
      text,
      start: startSeconds,
      end: endSeconds,
    }));
    saveText(`${meetingId}.vtt`, "text/vtt", writeVtt(turns));
  },
  JSON: async (meetingId: string) => {
    const meeting = await meClient.meetings.get.query({ meetingId });
    const { segments } = await meClient.meetings.transcript.query({ meetingId });
    saveText(`${meetingId}.json`, "application/json", JSON.stringify({ ...meeting, segments }, null, 2));
  },
};

/** Downloads a meeting as Markdown, WebVTT or JSON. */
export function Downloads({ meetingId }: { meetingId: string }) {
  const disclosure = useRef<HTMLDetailsElement>(null);
  const close = () => {
    disclosure.current?.removeAttribute("open");
    disclosure.current?.querySelector("summary")?.focus();
  };
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key === "Escape") close();
  };
  return (
    <details ref={disclosure} className="disclosure" onKeyDown={closeOnEscape}>
      <summary className="shell-button">Download</summary>
      <div className="disclosure-choices">
        {Object.entries(FORMATS).map(([label, download]) => (
          <button
            key={label}
            type="button"
            className="shell-link"
            onClick={() => {
              close();
              void download(meetingId).catch(tellFailure);
            }}
          >
            {label}
          </button>
        ))}
      </div>
    </details>
  );
}
