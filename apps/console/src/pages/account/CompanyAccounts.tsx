import { Group, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { queryClient, settings, settingsClient } from "../../api/clients";
import { ConfirmButton, tell } from "../../components/actions";
import { When } from "../../components/times";

/** Lists the provider accounts that sign the person in; shows nothing without one. */
export function CompanyAccounts() {
  const { data } = useQuery(settings.account.companyAccounts.queryOptions({}));
  const remove = async (accountId: string) => {
    await settingsClient.account.removeCompanyAccount.mutate({ accountId });
    await queryClient.invalidateQueries({ queryKey: settings.account.companyAccounts.queryKey() });
    tell("The link is removed.");
  };
  if (!data || data.accounts.length === 0) return null;
  return (
    <section aria-label="Company account">
      <Title order={2} size="h4">
        Company account
      </Title>
      {data.accounts.map(({ id, issuer, createdAt }) => (
        <Group key={id} mt="xs">
          <Text size="sm">
            {issuer}, since <When at={createdAt} size="sm" />
          </Text>
          <ConfirmButton
            label="Remove the link"
            title="Remove the link?"
            confirm="Remove"
            onConfirm={() => remove(id)}
          >
            Your next sign-in at your company makes it again while both have the same e-mail address.
          </ConfirmButton>
        </Group>
      ))}
    </section>
  );
}
