import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useAccount } from "../api/account";
import { settings, settingsClient } from "../api/clients";
import { ConfirmButton } from "../components/actions";
import { DataRow, DataTable } from "../components/DataTable";
import { Query } from "../components/Query";
import { Empty, Page } from "../components/states";
import { Timestamp } from "../components/times";
import { useAction } from "../components/use-action";
import { describeLink } from "../components/words";

const changes = [settings.publicLinks.pathKey()];

/** Allows links with which people outside read meetings, and lists and revokes those of the workspace. For admins. */
export function PublicLinks() {
  const { role } = useAccount();
  return (
    <Page>
      {role === "admin" ? <Links /> : <Empty title="Only admins can see and allow public links." />}
    </Page>
  );
}

function Links() {
  const query = useQuery(settings.publicLinks.listWorkspace.queryOptions({}));
  const allow = useAction(() => settingsClient.publicLinks.allow.mutate({ allowed: true }), {
    failure: "Could not allow public links",
    success: "Owners of meetings can create public links now.",
    changes,
  });
  return (
    <Query query={query}>
      {({ allowed, links }) =>
        allowed ? (
          <>
            <ConfirmButton
              label="Turn off public links"
              title="Turn off public links?"
              confirm="Turn off"
              failure="Could not turn off public links"
              success="Public links are off."
              changes={changes}
              act={() => settingsClient.publicLinks.allow.mutate({ allowed: false })}
            >
              All links of the workspace end for good.
            </ConfirmButton>
            {links.length === 0 ? (
              <Empty title="No meeting has a public link.">
                The owner of a meeting creates one under Share on its page.
              </Empty>
            ) : (
              <DataTable columns={["Owner", "Shows", "Created", "Ends", "Last view", "Actions"]}>
                {links.map((link) => (
                  <DataRow key={link.id}>
                    {link.owner}
                    {describeLink(link)}
                    <Timestamp at={link.createdAt} size="sm" />
                    <Timestamp at={link.expiresAt} size="sm" />
                    {link.lastViewedAt === null ? "never" : <Timestamp at={link.lastViewedAt} size="sm" />}
                    <ConfirmButton
                      label="Revoke"
                      title="Revoke this link?"
                      confirm="Revoke"
                      failure="Could not revoke the link"
                      success="The link has ended."
                      changes={changes}
                      act={() => settingsClient.publicLinks.revoke.mutate({ linkId: link.id })}
                    >
                      Nobody can read the meeting with it any more. Its owner can create another one.
                    </ConfirmButton>
                  </DataRow>
                ))}
              </DataTable>
            )}
          </>
        ) : (
          <>
            <Text size="sm">
              Public links are off. When they are on, the owner of a meeting can create a link with which
              anyone reads its summary or transcript, for 30 days at most. You see all links here, and the{" "}
              <Link to="/audit">audit log</Link> says who created them.
            </Text>
            <Button variant="default" loading={allow.isPending} onClick={() => allow.run()}>
              Allow public links
            </Button>
          </>
        )
      }
    </Query>
  );
}
