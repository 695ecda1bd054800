import { Badge, Group, List, Stack, Text, Title } from "@mantine/core";

interface PeopleProps {
  readonly participants: readonly { id: string; name: string; email: string | null }[];
  readonly attendees: readonly {
    name: string;
    email: string;
    responseStatus: string | null;
    organizer: boolean;
  }[];
}

/** Lists who spoke, and who was invited. */
export const People = ({ participants, attendees }: PeopleProps) => (
  <Stack>
    <Title order={2} size="h4">
      Spoke
    </Title>
    <List>
      {participants.map(({ id, name, email }) => (
        <List.Item key={id}>
          {name}
          {email && (
            <Text span c="dimmed">
              {" "}
              {email}
            </Text>
          )}
        </List.Item>
      ))}
    </List>
    {attendees.length > 0 && (
      <>
        <Title order={2} size="h4">
          Invited
        </Title>
        <List>
          {attendees.map(({ name, email, responseStatus, organizer }) => (
            <List.Item key={email}>
              <Group gap="xs">
                {name}
                <Text span c="dimmed">
                  {email}
                </Text>
                {responseStatus && <Badge color="gray">{responseStatus}</Badge>}
                {organizer && <Badge>organizer</Badge>}
              </Group>
            </List.Item>
          ))}
        </List>
      </>
    )}
  </Stack>
);
