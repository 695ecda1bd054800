import { Button, Group, Text } from "@mantine/core";

interface DraftNoteProps {
  readonly form: { readonly isRestored: boolean; discard(): void };
  /** True if what the form edits was changed since the input began. */
  readonly isOutdated?: boolean;
}

/** Says that a form was restored from unsaved input, or is outdated, and offers to discard it. */
export const DraftNote = ({ form, isOutdated = false }: DraftNoteProps) =>
  (form.isRestored || isOutdated) && (
    <Group gap="xs" role="status">
      <Text size="sm">
        {isOutdated
          ? "This was changed after you began to edit it. Saving replaces that change."
          : "Your unsaved input was restored."}
      </Text>
      <Button size="compact-xs" variant="default" onClick={form.discard}>
        Start over
      </Button>
    </Group>
  );
