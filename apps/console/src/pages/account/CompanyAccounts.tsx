import { Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { settings, settingsClient } from "../../api/clients";
import { ConfirmButton } from "../../components/actions";
import { Section } from "../../components/states";
import { Timestamp } from "../../components/times";

/** Lists the provider accounts that the user can sign in with; renders nothing if there are none. */
export function CompanyAccounts() {
  const { data } = useQuery(settings.account.listCompanyAccounts.queryOptions({}));
  if (!data || data.accounts.length === 0) return null;
  return (
    <Section title="Company account">
      {data.accounts.map(({ id, issuer, createdAt }) => (
        <Group key={id}>
          <Text size="sm">
            {issuer}, connected <Timestamp at={createdAt} size="sm" />
          </Text>
          <ConfirmButton
            label="Disconnect"
            title="Disconnect your company account?"
            confirm="Disconnect"
            failure="Could not disconnect the account"
            success="Account disconnected."
            changes={[settings.account.listCompanyAccounts.queryKey()]}
            act={() => settingsClient.account.deleteCompanyAccount.mutate({ accountId: id })}
          >
            Signing in with your company's account connects it again if both have the same e-mail address.
          </ConfirmButton>
        </Group>
      ))}
    </Section>
  );
}
