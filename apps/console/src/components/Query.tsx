import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Failure, Loading } from "./states";

/** Renders a query's data, or that it loads, or why it failed. Data once shown stays while it is fetched again. */
export function Query<Data>({
  query,
  children,
}: {
  query: UseQueryResult<Data, unknown>;
  children: (data: Data) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return <Loading />;
}
