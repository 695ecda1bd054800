import { Button, Group, Text } from "@mantine/core";

/** Says that a form was restored from unsaved input, and offers to discard it. */
export const DraftNote = ({ form }: { form: { readonly isRestored: boolean; discard(): void } }) =>
  form.isRestored && (
    <Group gap="xs" role="status">
      <Text size="sm">Your unsaved input was restored.</Text>
      <Button size="compact-xs" variant="default" onClick={form.discard}>
        Start over
      </Button>
    </Group>
  );
