import { Button, Group, NativeSelect, Text, TextInput } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount } from "../api/account";
import { settings } from "../api/clients";
import type { AuditFilters } from "../api/filters";
import { DataRow, DataTable } from "../components/DataTable";
import { createFilterFields } from "../components/fields";
import { ShowMore } from "../components/ShowMore";
import { Empty, Failure, Loading, Page } from "../components/states";
import { Timestamp } from "../components/times";
import { useAction } from "../components/use-action";
import { saveAuditLog, toAuditInput } from "./audit/csv";

const route = getRouteApi("/signed-in/audit");

/** First parts of the actions that the log records. */
const KINDS = [
  ["session", "Sign-ins"],
  ["user", "People"],
  ["member", "Members"],
  ["invitation", "Invitations"],
  ["workspace", "Workspace"],
  ["key", "API keys"],
  ["ingest-key", "Recorders"],
  ["webhook", "Webhooks"],
  ["delivery", "Deliveries"],
  ["meeting", "Meetings"],
  ["recording", "Recordings"],
  ["tag", "Tags"],
  ["vocabulary", "Vocabulary"],
  ["import", "Imports"],
  ["export", "Exports"],
].map(([value = "", label = ""]) => ({ value, label }));

/** Who did what in the workspace, and when; for admins. Filters are kept in the address. */
export function AuditLog() {
  const { role } = useAccount();
  const filters = route.useSearch();
  const save = useAction(() => saveAuditLog(filters), { failure: "Could not download the audit log" });
  if (role !== "admin")
    return (
      <Page>
        <Empty title="Only admins can see the audit log.">Ask an admin of your workspace.</Empty>
      </Page>
    );
  return (
    <Page
      actions={
        <Button variant="default" loading={save.isPending} onClick={() => save.run()}>
          Download CSV
        </Button>
      }
    >
      <Filters filters={filters} />
      <Entries filters={filters} />
    </Page>
  );
}

function Filters({ filters }: { filters: AuditFilters }) {
  const navigate = useNavigate();
  const set = (change: AuditFilters) =>
    void navigate({ to: "/audit", search: { ...filters, ...change }, replace: true });
  const field = createFilterFields(filters, set);
  const [actor, setActor] = useState(filters.actor ?? "");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        set({ actor: actor.trim() || undefined });
      }}
    >
      <Group align="flex-end" gap="sm">
        <TextInput
          label="Who"
          placeholder="E-mail, id or operator"
          value={actor}
          onChange={(event) => setActor(event.currentTarget.value)}
          onBlur={() => set({ actor: actor.trim() || undefined })}
        />
        <NativeSelect
          label="What"
          data={[{ value: "", label: "Everything" }, ...KINDS]}
          {...field("action")}
        />
        <TextInput label="From" type="date" {...field("from")} />
        <TextInput label="To" type="date" {...field("to")} />
      </Group>
    </form>
  );
}

function Entries({ filters }: { filters: AuditFilters }) {
  const pages = useInfiniteQuery(
    settings.audit.list.infiniteQueryOptions(
      { limit: 50, ...toAuditInput(filters) },
      { getNextPageParam: (page) => page.nextCursor ?? undefined },
    ),
  );
  if (pages.isPending) return <Loading />;
  if (pages.isError) return <Failure error={pages.error} retry={() => void pages.refetch()} />;
  const entries = pages.data.pages.flatMap((page) => page.entries);
  if (entries.length === 0) return <Empty title="No entries.">Change the filters to see more.</Empty>;
  return (
    <>
      <DataTable caption="Newest first" columns={["When", "Who", "What", "To what"]}>
        {entries.map((entry) => (
          <DataRow key={entry.id}>
            <Timestamp at={entry.at} size="sm" />
            <span title={entry.actor}>{entry.actorName ?? entry.actor}</span>
            <code>{entry.action}</code>
            <Text size="sm" c="dimmed" span title={entry.object}>
              {entry.objectName ?? entry.object}
              {entry.method && ` · by ${entry.method}`}
              {entry.network && ` · from ${entry.network}`}
            </Text>
          </DataRow>
        ))}
      </DataTable>
      <ShowMore pages={pages} />
    </>
  );
}
