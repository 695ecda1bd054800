import { Button } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { getStatus } from "../api/transport";
import { Failure, Loading } from "./states";

/** Statuses for data that the reader can't or can no longer see. */
const REFUSALS: ReadonlySet<number | null> = new Set([401, 403, 404]);

/**
 * Renders a query's data, a loading state or an error. The last data stays during a refetch,
 * until that is refused.
 */
export function Query<Data>({
  query,
  children,
}: {
  query: UseQueryResult<Data, unknown>;
  children: (data: Data) => ReactNode;
}) {
  const isRefused = query.isError && REFUSALS.has(getStatus(query.error));
  const data = query.data;
  if (data !== undefined && !isRefused) return children(data);
  if (query.isError) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return <Loading />;
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
