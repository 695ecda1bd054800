import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { me, type meClient } from "../../api/clients";
import { Query } from "../../components/Query";
import { MatchGroup } from "./MatchGroup";

type Answer = Awaited<ReturnType<typeof meClient.meetings.ask.query>>;

/** Asks a question about one meeting, or about all; the answer quotes what was said, with links. */
export default function AskPanel({ meetingId }: { meetingId?: string }) {
  const [typed, setTyped] = useState("");
  const [question, setQuestion] = useState("");
  const input = meetingId === undefined ? { question } : { question, meetingId };
  const answer = useQuery(me.meetings.ask.queryOptions(input, { enabled: question !== "" }));
  const ask = (event: FormEvent) => {
    event.preventDefault();
    setQuestion(typed.trim());
  };
  const about = meetingId === undefined ? "your meetings" : "this meeting";
  return (
    <Stack gap="sm">
      <form onSubmit={ask}>
        <Group gap="xs" wrap="nowrap">
          <TextInput
            aria-label={`Ask about ${about}`}
            placeholder={`Ask about ${about}`}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            maxLength={1000}
            flex={1}
          />
          <Button type="submit" variant="default" disabled={typed.trim() === ""}>
            Ask
          </Button>
        </Group>
      </form>
      {question !== "" && <Query query={answer}>{(data) => <Quotes answer={data} about={about} />}</Query>}
    </Stack>
  );
}

function Quotes({ answer: { found, meetings, searched }, about }: { answer: Answer; about: string }) {
  if (!found)
    return (
      <Text size="sm" c="dimmed" role="status">
        Not found in {about}. Searched for {searched.words.join(", ")}
        {searched.byMeaning ? " by words and by meaning." : " by words: try other words."}
      </Text>
    );
  return (
    <Stack gap="md" role="status">
      {meetings.map(({ turns, ...meeting }) => (
        <MatchGroup
          key={meeting.meetingId}
          words={searched.words}
          chunks={turns.map((turn) => ({
            ...{ ...meeting, id: turn.link, text: turn.text, relevance: "match" as const },
            segments: [{ ...turn, endSeconds: null }],
          }))}
        />
      ))}
    </Stack>
  );
}
