import "@mantine/spotlight/styles.css";
import { useDebouncedValue } from "@mantine/hooks";
import { createSpotlight, Spotlight, type SpotlightActionData, useSpotlight } from "@mantine/spotlight";
import { IconSearch } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useAccount } from "../api/account";
import { me } from "../api/clients";
import { useLayer } from "../api/layers";
import { formatStart } from "../components/times";

const [store, spotlight] = createSpotlight();

/** Finds meetings by title or person, and pages; Enter searches what was said. */
export default function Search({ openings }: { openings: number }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: each opening increments it
  useEffect(() => spotlight.open(), [openings]);
  useLayer(useSpotlight(store).opened, spotlight.close);
  const navigate = useNavigate();
  const [query, setQuery] = useState("");
  const [text] = useDebouncedValue(query.trim(), 400);
  const found = useQuery(
    me.meetings.find.queryOptions(
      { text },
      { enabled: text !== "", placeholderData: keepPreviousData, trpc: { abortOnUnmount: true } },
    ),
  );
  const meetings: SpotlightActionData[] = (text === "" ? [] : (found.data?.meetings ?? [])).map(
    (meeting) => ({
      id: meeting.id,
      label: meeting.title,
      description: formatStart(meeting),
      onClick: () => void navigate({ to: "/meetings/$meetingId", params: { meetingId: meeting.id } }),
    }),
  );
  const pages = useFoundPages(query);
  const said: SpotlightActionData[] =
    query.trim() === ""
      ? []
      : [
          {
            id: "said",
            label: `Search what was said: ${query.trim()}`,
            onClick: () => void navigate({ to: "/meetings", search: { q: query.trim() } }),
          },
        ];
  return (
    <Spotlight.Root
      store={store}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      attributes={{ content: { "aria-label": "Search" } }}
      // At the top, so that it doesn't move while results arrive.
      centered={false}
      scrollable
    >
      <Spotlight.Search
        placeholder="Search meetings and pages"
        aria-label="Search meetings and pages"
        leftSection={<IconSearch size={18} />}
      />
      <Spotlight.ActionsList>
        {[...said, ...meetings].map((action) => (
          <Spotlight.Action key={action.id} {...action} />
        ))}
        {pages.length > 0 && (
          <Spotlight.ActionsGroup label="Pages">
            {pages.map((action) => (
              <Spotlight.Action key={action.id} {...action} />
            ))}
          </Spotlight.ActionsGroup>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

/** Returns the pages whose title contains a text. */
function useFoundPages(text: string): SpotlightActionData[] {
  const { role } = useAccount();
  const navigate = useNavigate();
  const router = useRouter();
  return Object.values(router.routesById)
    .filter(({ options: { staticData } }) => staticData?.group && (role === "admin" || !staticData.forAdmins))
    .filter(({ options: { staticData } }) =>
      staticData?.title?.toLowerCase().includes(text.trim().toLowerCase()),
    )
    .map(({ fullPath, options: { staticData } }) => ({
      id: fullPath,
      label: staticData?.title ?? "",
      onClick: () => void navigate({ to: fullPath }),
    }));
}
