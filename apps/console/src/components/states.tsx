import { Alert, Button, Center, Group, Loader, Stack, Text, Title } from "@mantine/core";
import { useDisclosure, useElementSize } from "@mantine/hooks";
import { Link, useMatch, useRouter } from "@tanstack/react-router";
import { type CSSProperties, type ReactNode, useEffect, useRef } from "react";
import { useReachable } from "../api/connection";
import { focusHeading } from "../api/page-focus";
import { getErrorMessage, getStatus } from "../api/transport";

/** Shows a loading state or, while the server can't be reached, that nothing is loading. */
export function Loading() {
  if (!useReachable())
    return (
      <Center py="xl">
        <Text c="dimmed" size="sm" role="status">
          Not available offline. This loads when the connection is back.
        </Text>
      </Center>
    );
  return (
    <Center py="xl" role="status" aria-label="Loading">
      <Loader />
    </Center>
  );
}

/** Shows a failure's message, with a retry button if a retry can help, or a link to the list of what isn't there. */
export const Failure = ({ error, retry }: { error: unknown; retry?: () => void }) => (
  <Alert color="red" title="Could not load this" role="alert">
    <Stack gap="xs" align="flex-start">
      <Text size="sm">{getErrorMessage(error)}</Text>
      {getStatus(error) === 404 ? (
        <ListLink />
      ) : (
        retry && (
          <Button size="xs" variant="default" onClick={retry}>
            Try again
          </Button>
        )
      )}
    </Stack>
  </Alert>
);

/** Leads from the page of one thing, such as a person, to the list of all; shows nothing on other pages. */
function ListLink() {
  const router = useRouter();
  const { pathname } = router.state.location;
  const path = pathname.slice(0, pathname.lastIndexOf("/"));
  const list = Object.values(router.routesById).find(({ fullPath }) => fullPath === path);
  return list?.options.staticData?.title ? (
    <Link to={list.fullPath}>{list.options.staticData.title}</Link>
  ) : null;
}

/** Empty state of a list, with what to do next. */
export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <Center py="xl">
    <Stack align="center" gap="xs" maw={480}>
      <Text fw={600} ta="center">
        {title}
      </Text>
      {children && (
        <Text c="dimmed" size="sm" ta="center" component="div">
          {children}
        </Text>
      )}
    </Stack>
  </Center>
);

/** A page: heading, actions and content. Title and description default to the router's. */
export function Page({
  title,
  actions,
  bar,
  children,
}: {
  title?: string;
  actions?: ReactNode;
  /** Shown below the title in a header that stays while the page scrolls, such as tabs. */
  bar?: ReactNode;
  children: ReactNode;
}) {
  const page = useMatch({ strict: false, select: ({ staticData }) => staticData });
  const heading = title ?? page.title ?? "";
  const element = useRef<HTMLHeadingElement>(null);
  const [isWhole, { toggle }] = useDisclosure();
  const header = useElementSize({ box: "border-box" });
  useEffect(() => focusHeading(element.current), []);
  return (
    <div
      className="page"
      style={bar ? ({ "--page-header": `${header.height}px` } as CSSProperties) : undefined}
    >
      <title>{`${heading} · Minutes`}</title>
      <header ref={header.ref} className="page-header" data-sticky={bar !== undefined}>
        <Title
          order={1}
          className="wrap-anywhere"
          tabIndex={-1}
          ref={element}
          dir="auto"
          // The small header shows two lines of a long title, and all after a tap.
          {...(bar ? { title: heading, onClick: toggle, "data-whole": isWhole } : {})}
        >
          {heading}
        </Title>
        {actions && <Group gap="xs">{actions}</Group>}
        {bar}
      </header>
      {page.about !== undefined && (
        <Text c="dimmed" size="sm" mt={-8}>
          {page.about}
        </Text>
      )}
      {children}
    </div>
  );
}

interface SectionProps {
  readonly title: string;
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  /** Fragment of the URL that leads to the section. */
  readonly id?: string;
  readonly children?: ReactNode;
}

/** A section of a page with a heading. */
export const Section = ({ title, about, actions, id, children }: SectionProps) => (
  <section aria-label={title} className="section" id={id}>
    <div className="section-header">
      <Title order={2}>{title}</Title>
      {actions && <Group gap="xs">{actions}</Group>}
    </div>
    {about && (
      <Text c="dimmed" size="sm" component="div">
        {about}
      </Text>
    )}
    {children}
  </section>
);
