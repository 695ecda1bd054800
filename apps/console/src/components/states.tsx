import { Alert, Button, Center, Loader, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { getSentence } from "../api/transport";

/** Shows that data is on its way. */
export const Loading = () => (
  <Center py="xl" role="status" aria-label="Loading">
    <Loader />
  </Center>
);

/** Shows the API's sentence for a failure, with a button to try again where that can help. */
export const Failure = ({ error, retry }: { error: unknown; retry?: () => void }) => (
  <Alert color="red" title="That did not work" role="alert">
    <Stack gap="xs" align="flex-start">
      <Text size="sm">{getSentence(error)}</Text>
      {retry && (
        <Button size="xs" variant="default" onClick={retry}>
          Try again
        </Button>
      )}
    </Stack>
  </Alert>
);

/** Says that a list is empty, and what to do next. */
export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <Center py="xl">
    <Stack align="center" gap="xs" maw={480}>
      <Text fw={600}>{title}</Text>
      {children && (
        <Text c="dimmed" size="sm" ta="center" component="div">
          {children}
        </Text>
      )}
    </Stack>
  </Center>
);

/** A page: its title, its actions, its content. */
export const Page = ({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}) => (
  <Stack gap="md" maw={1080} mx="auto">
    <title>{`${title} · Minutes`}</title>
    <header className="page-header">
      <Title order={1} size="h2">
        {title}
      </Title>
      {actions && <div className="page-actions">{actions}</div>}
    </header>
    {children}
  </Stack>
);
