import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { getStatus } from "../api/transport";
import { Failure, Loading } from "./states";

/** Statuses that say that the reader may not see the data, or not any more. */
const REFUSALS: ReadonlySet<number | null> = new Set([401, 403, 404]);

/**
 * Renders a query's data, or that it loads, or why it failed. Data once shown stays while it is fetched again, until that is
 * refused.
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
