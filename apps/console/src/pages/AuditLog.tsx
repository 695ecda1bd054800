import { Button, Group, NativeSelect, Text, TextInput } from "@mantine/core";
import { describeAction } from "@minutes/contract/audit-actions";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useAccount } from "../api/account";
import { settings } from "../api/clients";
import { type AuditFilters, createFilterFields } from "../api/filters";
import { DataRow, DataTable } from "../components/DataTable";
import { ShowMore } from "../components/Query";
import { Empty, Failure, Loading, Page } from "../components/states";
import { Timestamp } from "../components/times";
import { useAction } from "../components/use-action";
import { ACTION_CHOICES, describeMethod, describeTarget } from "./audit/actions";
import { saveAuditLog, toAuditInput } from "./audit/csv";

const route = getRouteApi("/signed-in/audit");

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
  const members = useQuery(settings.members.list.queryOptions({}));
  return (
    <Group align="flex-end" gap="sm">
      <NativeSelect
        label="Who"
        w={280}
        data={[{ value: "", label: "Anyone" }, ...toPeople(members.data?.members ?? [], filters.actor)]}
        {...field("actor")}
      />
      <NativeSelect
        label="Action"
        w={280}
        data={[{ value: "", label: "Everything" }, ...ACTION_CHOICES]}
        {...field("action")}
      />
      <TextInput label="From" type="date" {...field("from")} />
      <TextInput label="To" type="date" {...field("to")} />
    </Group>
  );
}

const OPERATOR = { value: "operator", label: "The operator" };

/** Options for the person filter: members, the operator, and the person in the URL. */
function toPeople(members: readonly Person[], actor: string | undefined) {
  const people = [
    ...members.map(({ userId, name, email }) => ({ value: userId, label: `${name} (${email})` })),
    OPERATOR,
  ];
  const isListed = actor === undefined || people.some(({ value }) => value === actor);
  return isListed ? people : [...people, { value: actor, label: actor }];
}

interface Person {
  readonly userId: string;
  readonly name: string;
  readonly email: string;
}

/** Names of actors that are not people. */
const ACTORS: Readonly<Record<string, string>> = {
  operator: "The operator",
  server: "The server",
  anonymous: "Somebody",
};

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
      <DataTable caption="Newest first" columns={["When", "Who", "Action", "Target"]}>
        {entries.map((entry) => (
          <DataRow key={entry.id}>
            <Timestamp at={entry.at} size="sm" />
            <span title={entry.actor}>{entry.actorName ?? ACTORS[entry.actor] ?? entry.actor}</span>
            <span title={entry.action}>{describeAction(entry)}</span>
            <Text size="sm" c="dimmed" span title={entry.object}>
              {describeTarget(entry)}
              {entry.method && ` · ${describeMethod(entry.method)}`}
              {entry.network && ` · from ${entry.network}`}
            </Text>
          </DataRow>
        ))}
      </DataTable>
      <ShowMore pages={pages} />
    </>
  );
}
