import { queryClient, settings } from "./clients";

/**
 * Returns the names of the members who can see a tag; none for a new tag. Asks the server every time, so a
 * tag is never added on outdated knowledge.
 */
export async function fetchTagReaders(name: string): Promise<string[]> {
  const { tags } = await queryClient.fetchQuery({ ...settings.tags.list.queryOptions({}), staleTime: 0 });
  return tags.find((tag) => tag.name === name.trim())?.sharedWith.map((reader) => reader.name) ?? [];
}
