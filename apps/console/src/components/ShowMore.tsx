import { Button } from "@mantine/core";

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
