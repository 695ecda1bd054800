import { Badge, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { listPeople } from "../api/lists";
import { DataRow, DataTable } from "../components/DataTable";
import { ShowMore } from "../components/Query";
import { Empty, Failure, Loading, Page } from "../components/states";
import { Timestamp } from "../components/times";

/** Lists the people of the meetings that the person can read. */
export function People() {
  const [name, setName] = useState("");
  const [wanted] = useDebouncedValue(name.trim(), 200);
  const pages = useInfiniteQuery({ ...listPeople(wanted), placeholderData: keepPreviousData });
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
      {people?.length === 0 &&
        (wanted === "" ? (
          <Empty title="No people yet.">People appear here once a meeting has a speaker with a name.</Empty>
        ) : (
          <Empty title={`No person has “${wanted}” in their name.`} />
        ))}
      {people !== undefined && people.length > 0 && (
        <DataTable columns={["Name", "E-mail", "Meetings", "Open tasks", "Last met"]}>
          {people.map((person) => (
            <DataRow key={person.id}>
              <span>
                <Link to="/people/$personId" params={{ personId: person.id }} className="turn-speaker">
                  {person.name}
                </Link>{" "}
                {!person.confirmed && (
                  <Badge
                    color="gray"
                    variant="outline"
                    title="Known only by this name: nobody has said who it is."
                  >
                    Unconfirmed
                  </Badge>
                )}
              </span>
              {person.emails.join(", ")}
              <span>{person.meetings}</span>
              <span>{person.openTasks}</span>
              <Timestamp at={person.lastMet} size="sm" />
            </DataRow>
          ))}
        </DataTable>
      )}
      <ShowMore pages={pages} />
    </Page>
  );
}
