import { Alert, Badge, Button, Group, NativeSelect, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { settings, settingsClient } from "../../api/clients";
import { focusField } from "../../api/page-focus";
import { ConfirmButton, CopyLine } from "../../components/actions";
import { DataRow, DataTable } from "../../components/DataTable";
import { Query } from "../../components/Query";
import { Section } from "../../components/states";
import { Timestamp } from "../../components/times";
import { useContractForm } from "../../components/use-contract-form";
import { describeRole, ROLES } from "../../components/words";
import { InviteSeveral } from "./InviteSeveral";

/** Fragment of the URL that leads to the first field. */
const ID = "invitations";
const changes = [settings.invitations.pathKey()];

/** Invites people to the workspace; lists and revokes pending invitations. For admins. */
export function Invitations() {
  const invitations = useQuery(settings.invitations.list.queryOptions({}));
  return (
    <Section title="Invitations" id={ID}>
      <NewInvitation />
      <Query query={invitations}>
        {({ invitations: list }) =>
          list.length === 0 ? (
            <Text size="sm" c="dimmed">
              No open invitations.
            </Text>
          ) : (
            <DataTable columns={["For", "Role", "Expires", "Actions"]}>
              {list.map(({ id, email, role, expiresAt }) => (
                <DataRow key={id}>
                  {email ?? "Anyone with the link"}
                  <Badge>{describeRole(role)}</Badge>
                  <Timestamp at={expiresAt} size="sm" />
                  <ConfirmButton
                    label="Revoke"
                    title="Revoke the invitation?"
                    confirm="Revoke"
                    failure="Could not revoke the invitation"
                    success="Invitation revoked."
                    changes={changes}
                    act={() => settingsClient.invitations.revoke.mutate({ invitationId: id })}
                  >
                    Its link stops working at once.
                  </ConfirmButton>
                </DataRow>
              ))}
            </DataTable>
          )
        }
      </Query>
    </Section>
  );
}

function NewInvitation() {
  const location = useLocation();
  const email = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (location.hash === ID) focusField(email.current);
  }, [location]);
  const form = useContractForm({
    schema: ({ AccountInput }) => AccountInput.newInvitation,
    initial: { email: "", role: "member" },
    toInput: ({ email, role }) => ({
      role: role === "admin" ? ("admin" as const) : ("member" as const),
      ...(email.trim() === "" ? {} : { email }),
    }),
    send: settingsClient.invitations.create.mutate,
    draft: "invitations/new",
    failure: "Could not create the invitation",
    changes,
  });
  return (
    <>
      <form {...form.props}>
        <Group align="flex-end">
          <TextInput
            label="E-mail"
            ref={email}
            description="Leave empty for a link that anyone can use once."
            inputMode="email"
            w={300}
            {...form.getInputProps("email")}
          />
          <NativeSelect label="Role" data={ROLES} w={120} {...form.getInputProps("role")} />
          <Button type="submit" loading={form.isPending}>
            Invite
          </Button>
          <InviteSeveral />
        </Group>
      </form>
      {form.output && (
        <Alert
          color="green"
          title={form.output.mailed ? "Invitation sent" : "Send this link yourself"}
          role="status"
        >
          {form.output.renewed && (
            <Text size="sm">
              This address was invited before. That invitation is replaced, and its link no longer works.
            </Text>
          )}
          {form.output.link === null ? (
            <Text size="sm">
              The link works once and expires in seven days. Only the invited person sees it.
            </Text>
          ) : (
            <>
              <Text size="sm" mb="xs">
                It works once, expires in seven days, and is not shown again.
              </Text>
              <CopyLine label="invitation" value={form.output.link} />
            </>
          )}
        </Alert>
      )}
    </>
  );
}
