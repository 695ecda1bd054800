import { Button } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { getStatus } from "../api/transport";
import { Failure, Loading, Page } from "./states";

/** Statuses for data that the reader can't or can no longer see. */
const REFUSALS: ReadonlySet<number | null> = new Set([401, 403, 404]);

/**
 * Renders a query's data, a loading state or an error. The last data stays during a refetch,
 * until that is refused.
 * @param title heading of a page that shows only the error
 */
export function Query<Data>({
  query,
  title,
  children,
}: {
  query: UseQueryResult<Data, unknown>;
  title?: string;
  children: (data: Data) => ReactNode;
}) {
  const isRefused = query.isError && REFUSALS.has(getStatus(query.error));
  const data = query.data;
  if (data !== undefined && !isRefused) return children(data);
  if (!query.isError) return <Loading />;
  const failure = <Failure error={query.error} retry={() => void query.refetch()} />;
  return title === undefined ? failure : <Page title={title}>{failure}</Page>;
}

interface Pages {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  fetchNextPage(): Promise<unknown>;
}

/** A button that loads the next page of a list; renders nothing on the last page. */
export const ShowMore = ({ pages }: { pages: Pages }) =>
  pages.hasNextPage && (
    <Button variant="default" loading={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
      Show more
    </Button>
  );
