import { Button, Group, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { AnswerView } from "./AnswerView";
import { useAnswer } from "./use-answer";

/**
 * Asks a question about one meeting, or about all; the answer quotes what was said, with links.
 * @param focused true if the person has opened it to type
 */
export default function AskPanel({ meetingId, focused }: { meetingId?: string; focused?: boolean }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (focused) field.current?.focus();
  }, [focused]);
  const [typed, setTyped] = useState("");
  const { answer, ask, stop } = useAnswer();
  const isRunning = answer?.isRunning === true;
  const question = typed.trim();
  const [asked, setAsked] = useState("");
  // Another question ends the one that runs.
  const stops = isRunning && (question === "" || question === asked);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (stops) return stop();
    setAsked(question);
    void ask(meetingId === undefined ? { question } : { question, meetingId });
  };
  const about = meetingId === undefined ? "your meetings" : "this meeting";
  return (
    <Stack gap="sm">
      <form onSubmit={submit}>
        <Group gap="xs" wrap="nowrap">
          <TextInput
            ref={field}
            aria-label={`Ask about ${about}`}
            placeholder={`Ask about ${about}`}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            maxLength={1000}
            flex={1}
          />
          <Button type="submit" variant="default" disabled={!stops && question === ""}>
            {stops ? "Stop" : "Ask"}
          </Button>
        </Group>
      </form>
      {answer && <AnswerView answer={answer} about={about} />}
    </Stack>
  );
}
