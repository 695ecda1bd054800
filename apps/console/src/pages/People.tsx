import { Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { lazy, useState } from "react";
import { loadWhenReachable } from "../api/connection";
import { listPeople } from "../api/lists";
import { DataRow, DataTable } from "../components/DataTable";
import { Dialog } from "../components/Dialog";
import { ShowMore } from "../components/Query";
import { Empty, Failure, Loading, Page } from "../components/states";
import { Timestamp } from "../components/times";
import type { Person } from "./people/Details";

const Details = lazy(() => loadWhenReachable(() => import("./people/Details")));

/** Lists the people of the meetings that the person can read. Admins rename and merge them. */
export function People() {
  const [name, setName] = useState("");
  const [wanted] = useDebouncedValue(name.trim(), 200);
  const [opened, open] = useState<Person | null>(null);
  const pages = useInfiniteQuery(listPeople(wanted));
  const people = pages.data?.pages.flatMap((page) => page.people);
  return (
    <Page>
      <TextInput
        aria-label="Find people"
        placeholder="Find people"
        type="search"
        maw={320}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {pages.isError && <Failure error={pages.error} retry={() => void pages.refetch()} />}
      {pages.isPending && <Loading />}
      {people?.length === 0 && (
        <Empty title="No people yet.">
          People appear here once a meeting has their e-mail address or someone names them as a speaker.
        </Empty>
      )}
      {people !== undefined && people.length > 0 && (
        <DataTable columns={["Name", "E-mail", "Meetings", "Open tasks", "Last met"]}>
          {people.map((person) => (
            <DataRow key={person.id}>
              <button
                type="button"
                className="turn-speaker"
                onClick={() => open(person)}
                aria-haspopup="dialog"
              >
                {person.name}
              </button>
              <Text size="sm" className="wrap-anywhere">
                {person.emails.join(", ")}
              </Text>
              <span>{person.meetings}</span>
              <span>{person.openTasks}</span>
              <Timestamp at={person.lastMet} size="sm" />
            </DataRow>
          ))}
        </DataTable>
      )}
      <ShowMore pages={pages} />
      <Dialog opened={opened !== null} onClose={() => open(null)} title={opened?.name} size="lg">
        {opened && <Details person={opened} others={people ?? []} close={() => open(null)} />}
      </Dialog>
    </Page>
  );
}
