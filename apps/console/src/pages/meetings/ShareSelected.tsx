import { Button, Select, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useAccount } from "../../api/account";
import { me, settings, settingsClient } from "../../api/clients";
import { Query } from "../../components/Query";
import { useContractForm } from "../../components/use-contract-form";
import { applyToEach, type SelectedProps } from "./apply-to-each";

/** Shares the selected meetings with a member. */
export function ShareSelected({ meetings, onDone }: SelectedProps) {
  const { userId } = useAccount();
  const members = useQuery(settings.members.list.queryOptions({}));
  const form = useContractForm({
    schema: (contract) => contract.ShareMeeting,
    initial: { email: "" },
    toInput: ({ email }) => ({ meetingId: meetings[0]?.id ?? "", email }),
    send: ({ email }) =>
      applyToEach(meetings, (meetingId) => settingsClient.meetings.share.mutate({ meetingId, email })),
    failure: "Could not share the meetings",
    changes: [me.meetings.pathKey(), settings.shares.pathKey()],
    onSuccess: onDone,
  });
  return (
    <Query query={members}>
      {({ members: list }) => (
        <form {...form.props}>
          <Stack>
            <Select
              label="Share with"
              placeholder="A member of the workspace"
              data={list
                .filter((member) => member.userId !== userId)
                .map(({ name, email }) => ({ value: email, label: `${name} (${email})` }))}
              searchable
              comboboxProps={{ withinPortal: false }}
              data-autofocus
              {...form.getInputProps("email")}
            />
            <Button type="submit" loading={form.isPending}>
              Share
            </Button>
          </Stack>
        </form>
      )}
    </Query>
  );
}
