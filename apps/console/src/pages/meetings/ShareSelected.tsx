import { Button, Stack } from "@mantine/core";
import { me, settings, settingsClient } from "../../api/clients";
import { MemberField, shareWithEach, useReaders } from "../../components/MemberField";
import { useContractForm } from "../../components/use-contract-form";
import { applyToEach, type SelectedProps } from "./apply-to-each";

/** Shares the selected meetings with a member. */
export function ShareSelected({ meetings, onDone }: SelectedProps) {
  const { members, toEmails } = useReaders();
  const form = useContractForm({
    schema: (contract) => contract.ShareMeeting.loose(),
    initial: { email: "" },
    toInput: ({ email }) => ({
      meetingId: meetings[0]?.id ?? "",
      email: toEmails(email)[0] ?? "",
      chosen: email,
    }),
    send: ({ chosen }) =>
      applyToEach(meetings, (meetingId) =>
        shareWithEach(toEmails(chosen), (email) =>
          settingsClient.meetings.share.mutate({ meetingId, email }),
        ),
      ),
    failure: "Could not share the meetings",
    changes: [me.meetings.pathKey(), settings.shares.pathKey()],
    onSuccess: onDone,
  });
  return (
    <form {...form.props}>
      <Stack>
        <MemberField label="Share with" members={members} data-autofocus {...form.getInputProps("email")} />
        <Button type="submit" loading={form.isPending}>
          Share
        </Button>
      </Stack>
    </form>
  );
}
