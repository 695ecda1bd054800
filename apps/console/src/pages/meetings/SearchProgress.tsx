import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { me } from "../../api/clients";

/** Interval in ms at which the number is refreshed while meetings wait. */
const INTERVAL = 10_000;

/** Says how many meetings a new model has not encoded yet; nothing once it has. */
export function SearchProgress() {
  const { data } = useQuery(
    me.meetings.searchProgress.queryOptions(undefined, {
      refetchInterval: ({ state }) => (state.data?.waiting ? INTERVAL : false),
    }),
  );
  if (!data?.waiting) return null;
  return (
    <Text size="sm" c="dimmed" role="status">
      Still being prepared for search by meaning: {data.waiting} of {data.meetings} meetings. Until then, only
      their words find them.
    </Text>
  );
}
