import { Alert, Button, Center, Loader, Stack, Text } from "@mantine/core";
import { type ReactNode, useDeferredValue } from "react";
import { getSentence } from "../api/transport";
import { getAbout } from "../shell/sections";

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
  about = getAbout(title),
  actions,
  children,
}: {
  title: string;
  /** What the page is for. The navigation has a sentence about each page that it lists. */
  about?: string | undefined;
  actions?: ReactNode;
  children: ReactNode;
}) => {
  // The heading comes first and the content a moment later: drawn at once, both would keep the browser busy for longer.
  const hasContent = useDeferredValue(true, false);
  return (
    <div className="page">
      <title>{`${title} · Minutes`}</title>
      <header className="page-header">
        <h1 className="page-title">{title}</h1>
        {actions && <div className="page-actions">{actions}</div>}
      </header>
      {about !== undefined && <p className="page-about">{about}</p>}
      {hasContent ? children : <div role="status" aria-label="Loading" />}
    </div>
  );
};
