import { Button, Group, Stack, Text } from "@mantine/core";

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
