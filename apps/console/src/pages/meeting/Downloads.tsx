import { Button, Menu } from "@mantine/core";
import { writeMarkdown, writeVtt } from "@minutes/transcripts/write";
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
export const Downloads = ({ meetingId }: { meetingId: string }) => (
  <Menu>
    <Menu.Target>
      <Button variant="default" size="xs">
        Download
      </Button>
    </Menu.Target>
    <Menu.Dropdown>
      {Object.entries(FORMATS).map(([label, download]) => (
        <Menu.Item key={label} onClick={() => void download(meetingId).catch(tellFailure)}>
          {label}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
);
