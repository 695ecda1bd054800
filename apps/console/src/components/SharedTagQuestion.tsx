import { Button, Group, Stack, Text } from "@mantine/core";
import { queryClient, settings } from "../api/clients";

/**
 * Returns the names of the members who can see a tag; none for a new tag. Asks the server every time, so a
 * tag is never added on outdated knowledge.
 */
export async function fetchTagReaders(name: string): Promise<string[]> {
  const { tags } = await queryClient.fetchQuery({ ...settings.tags.list.queryOptions({}), staleTime: 0 });
  return tags.find((tag) => tag.name === name.trim())?.sharedWith.map((reader) => reader.name) ?? [];
}

interface QuestionProps {
  /** Names of the members who can see the tag. */
  readonly readers: readonly string[];
  /** What they will read, such as `this meeting`. */
  readonly what: string;
  readonly isPending: boolean;
  readonly onCancel: () => void;
  readonly onConfirm: () => void;
}

/** Says who will read meetings if a shared tag is added, and asks whether to add it. */
export const SharedTagQuestion = ({ readers, what, isPending, onCancel, onConfirm }: QuestionProps) => (
  <Stack>
    <Text size="sm">
      {readers.join(", ")} will be able to read {what}, because you share this tag with them.
    </Text>
    <Group justify="flex-end">
      <Button variant="default" onClick={onCancel} data-autofocus>
        Cancel
      </Button>
      <Button loading={isPending} onClick={onConfirm}>
        Add and share
      </Button>
    </Group>
  </Stack>
);
