import { Alert, Center, Paper, Stack, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { getSentence } from "../api/transport";

/** A page for people who are not signed in: one box with a title. */
export const EntryPage = ({
  title,
  heading,
  children,
}: {
  title: string;
  heading: string;
  children: ReactNode;
}) => (
  <Center mih="100dvh" p="md" component="main">
    <title>{`${title} · Minutes`}</title>
    <Paper withBorder p="lg" w={420} maw="100%">
      <Stack>
        <Title order={1} size="h2">
          {heading}
        </Title>
        {children}
      </Stack>
    </Paper>
  </Center>
);

/** Shows the sentence of a failed step; nothing without one. */
export const StepFailure = ({ error }: { error: unknown }) =>
  error ? (
    <Alert color="red" role="alert">
      {getSentence(error)}
    </Alert>
  ) : null;
