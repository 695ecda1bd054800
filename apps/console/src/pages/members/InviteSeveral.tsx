import { Button, Group, NativeSelect, Stack, Text, Textarea } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import { settings, settingsClient } from "../../api/clients";
import { getErrorMessage } from "../../api/transport";
import { Copy } from "../../components/actions";
import { DataRow, DataTable } from "../../components/DataTable";
import { Dialog } from "../../components/Dialog";
import { type Action, useAction } from "../../components/use-action";
import { ROLES } from "../../components/words";

/** Maximum number of addresses at a time: the invitations an admin can e-mail without waiting (`INVITATIONS_BY_USER`). */
const MAX_ADDRESSES = 30;

/** What became of one address: whether its invitation was mailed or has a link to pass on, or why there is none. */
type Result = { readonly email: string } & (
  | { readonly link: string | null; readonly renewed: boolean }
  | { readonly error: string }
);
type Role = "admin" | "member";
interface Invited {
  readonly emails: readonly string[];
  readonly role: Role;
}

/** Opens a dialog in which an admin invites a list of people, and sees what became of each. */
export function InviteSeveral() {
  const [opened, { open, close }] = useDisclosure(false);
  const [text, setText] = useState("");
  const invite = useAction(({ emails, role }: Invited) => inviteEach(emails, role), {
    failure: "Could not invite them",
    changes: [settings.invitations.pathKey()],
    // Those that failed can be corrected and sent again.
    onSuccess: (results) =>
      setText(results.flatMap((result) => ("error" in result ? [result.email] : [])).join("\n")),
  });
  // Closing would hide the results, which are shown only here.
  const closeUnlessPending = () => {
    if (!invite.isPending) close();
  };
  return (
    <>
      <Button variant="default" onClick={open} aria-haspopup="dialog">
        Invite several
      </Button>
      <Dialog opened={opened} onClose={closeUnlessPending} title="Invite several people" size="lg">
        <List text={text} onText={setText} invite={invite} />
      </Dialog>
    </>
  );
}

interface ListProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly invite: Action<Invited, Result[]>;
}

function List({ text, onText, invite }: ListProps) {
  const [role, setRole] = useState<Role>("member");
  const emails = readAddresses(text);
  const tooMany =
    emails.length > MAX_ADDRESSES
      ? `At most ${MAX_ADDRESSES} addresses at a time; you entered ${emails.length}.`
      : null;
  return (
    <Stack>
      <Textarea
        label="E-mail addresses"
        description="One per line, or separated by commas."
        rows={6}
        value={text}
        onChange={(event) => onText(event.currentTarget.value)}
        error={tooMany}
        data-autofocus
      />
      <Group align="flex-end" justify="space-between">
        <NativeSelect
          label="Role for everyone"
          data={ROLES}
          w={120}
          value={role}
          onChange={(event) => setRole(event.currentTarget.value as Role)}
        />
        <Button
          loading={invite.isPending}
          disabled={emails.length === 0 || tooMany !== null}
          onClick={() => invite.run({ emails, role })}
        >
          {emails.length === 1 ? "Invite 1 person" : `Invite ${emails.length} people`}
        </Button>
      </Group>
      {invite.output && <Results results={invite.output} />}
    </Stack>
  );
}

/** Reads addresses, also from a mail's list of recipients such as `Ada <ada@example.com>, Ben <ben@example.com>`. */
function readAddresses(text: string): string[] {
  const found = text.split(/[,;\n]/).flatMap((part) => {
    const [from, to] = [part.lastIndexOf("<"), part.lastIndexOf(">")];
    return from >= 0 && to > from ? [part.slice(from + 1, to).trim()] : part.split(/\s/).filter(Boolean);
  });
  return [...new Map(found.map((email) => [email.toLowerCase(), email])).values()];
}

/** Invites one after the other, each within its own limits, and goes on after a refusal. */
async function inviteEach(emails: readonly string[], role: Role): Promise<Result[]> {
  const results: Result[] = [];
  for (const email of emails) {
    try {
      const { link, renewed } = await settingsClient.invitations.create.mutate({ email, role });
      results.push({ email, link, renewed });
    } catch (error) {
      results.push({ email, error: getErrorMessage(error) });
    }
  }
  return results;
}

function Results({ results }: { results: readonly Result[] }) {
  const links = results.flatMap((result) =>
    "link" in result && result.link !== null ? [`${result.email} ${result.link}`] : [],
  );
  const invited = results.filter((result) => "link" in result).length;
  return (
    <Stack gap="xs">
      <Text size="sm" role="status">
        {invited} of {results.length} invited.{" "}
        {links.length > 0 &&
          "Send each person their own link. It works once, expires in seven days, and is not shown again."}
      </Text>
      {links.length > 0 && (
        <Group>
          <Copy value={links.join("\n")} label="Copy all links" text="Copy all links" />
        </Group>
      )}
      <DataTable columns={["For", "Result"]}>
        {results.map((result) => (
          <DataRow key={result.email}>
            {result.email}
            <ResultOf result={result} />
          </DataRow>
        ))}
      </DataTable>
    </Stack>
  );
}

function ResultOf({ result }: { result: Result }) {
  if ("error" in result) return `Not invited: ${result.error}`;
  if (result.link === null) return result.renewed ? "Sent again; the earlier link no longer works" : "Sent";
  return <Copy value={result.link} label={`Copy link for ${result.email}`} text="Copy link" />;
}
