import { Button, Group, Text } from "@mantine/core";

/** Says that a form holds what was typed before, and offers to start again. */
export const DraftNote = ({ isRestored, discard }: { isRestored: boolean; discard: () => void }) =>
  isRestored && (
    <Group gap="xs" role="status">
      <Text size="sm">Your unsaved input was restored.</Text>
      <Button size="compact-xs" variant="default" onClick={discard}>
        Start over
      </Button>
    </Group>
  );
