import { Autocomplete, type AutocompleteProps } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useAccount } from "../api/account";
import { settings } from "../api/clients";

interface Member {
  readonly name: string;
  readonly email: string;
}

const toOption = ({ name, email }: Member) => `${name} (${email})`;
const describeAll = (count: number) => `Everyone now in the workspace (${count})`;

/** Reads the members that something can be shared with, and how to read what was chosen or typed. */
export function useReaders() {
  const { userId } = useAccount();
  const { data } = useQuery(settings.members.list.queryOptions({}));
  const members = (data?.members ?? []).filter((member) => member.userId !== userId);
  /** Returns the addresses of a choice, or the one that was typed. */
  const toEmails = (value: string): readonly string[] => {
    if (value === describeAll(members.length)) return members.map(({ email }) => email);
    return [members.find((member) => toOption(member) === value)?.email ?? value.trim()];
  };
  return { members, toEmails };
}

interface FieldProps extends AutocompleteProps {
  readonly members: readonly Member[];
}

/** Takes who to share with: a member, an address that is typed, or everyone. Enter submits its form. */
export const MemberField = ({ members, ...props }: FieldProps) => (
  <Autocomplete
    placeholder="Name or e-mail of a member"
    inputMode="email"
    data={[...members.map(toOption), ...(members.length > 1 ? [describeAll(members.length)] : [])]}
    maxDropdownHeight={240}
    comboboxProps={{ withinPortal: false }}
    {...props}
  />
);

/** Shares with one address after another. If one fails, those before it stay shared, and the page shows them. */
export async function shareWithEach(
  emails: readonly string[],
  share: (email: string) => Promise<unknown>,
): Promise<void> {
  for (const email of emails) await share(email);
}

/** Writes `ada@example.com` or `12 members`. */
export const describeReaders = (emails: readonly string[]): string =>
  emails.length === 1 ? (emails[0] ?? "") : `${emails.length} members`;
