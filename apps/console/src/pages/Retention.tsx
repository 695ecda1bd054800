import { Alert, Button, Group, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useAccount } from "../api/account";
import { settings, settingsClient } from "../api/clients";
import { ConfirmButton } from "../components/actions";
import { DataRow, DataTable } from "../components/DataTable";
import { Query } from "../components/Query";
import { Empty, Page, Section } from "../components/states";
import { Timestamp } from "../components/times";
import { useAction } from "../components/use-action";
import { useContractForm } from "../components/use-contract-form";
import { KeptAudio } from "./retention/KeptAudio";

const changes = [settings.retention.pathKey()];
const countDays = (days: number) => (days === 1 ? "1 day" : `${days} days`);
const countMeetings = (count: number) => (count === 1 ? "1 meeting" : `${count} meetings`);

/** Lists, sets and deletes the workspace's retention rules, with counts of what they delete. */
export function Retention() {
  const { role } = useAccount();
  return (
    <Page>
      {role === "admin" ? <Rules /> : <Empty title="Only admins can see and set retention rules." />}
    </Page>
  );
}

function Rules() {
  const rules = useQuery(settings.retention.list.queryOptions({}));
  return (
    <>
      <Query query={rules}>
        {({ rules: list }) =>
          list.length === 0 ? (
            <Empty title="Meetings are kept until somebody deletes them.">
              Set a rule to delete them after a number of days.
            </Empty>
          ) : (
            <>
              <Overdue />
              <DataTable columns={["Meetings", "Kept", "Actions"]}>
                {list.map(({ id, tag, days }) => (
                  <DataRow key={id}>
                    {tag === null ? "All others" : `With the tag “${tag}”`}
                    {`${countDays(days)} after the start`}
                    <ConfirmButton
                      label="Delete"
                      title="Delete this rule?"
                      confirm="Delete"
                      failure="Could not delete the rule"
                      success="Rule deleted."
                      changes={changes}
                      act={() => settingsClient.retention.delete.mutate({ ruleId: id })}
                    >
                      Its meetings fall under the remaining rules. Nothing is deleted within a day.
                    </ConfirmButton>
                  </DataRow>
                ))}
              </DataTable>
            </>
          )
        }
      </Query>
      <NewRule />
      <KeptAudio />
    </>
  );
}

/** Says what the present rules delete next. */
function Overdue() {
  const preview = useQuery(settings.retention.preview.queryOptions({}));
  return (
    <Query query={preview}>
      {({ meetings, held, nextRunAt, unusedTags }) => (
        <>
          <Text size="sm">
            {countMeetings(meetings)} {meetings === 1 ? "is" : "are"} due for deletion, up to 1,000 an hour
            {held > 0 && `, and ${countMeetings(held)} on hold ${held === 1 ? "is" : "are"} kept`}.
            {nextRunAt !== null && (
              <>
                {" "}
                Next run: <Timestamp at={nextRunAt} size="sm" />
              </>
            )}
          </Text>
          <UnusedTags tags={unusedTags} />
        </>
      )}
    </Query>
  );
}

/** Names the tags that no member has, such as misspelled ones: their rules delete nothing. */
const UnusedTags = ({ tags }: { tags: readonly string[] }) =>
  tags.map((tag) => (
    <Text size="sm" key={tag}>
      No member has a tag named “{tag}”: its rule does nothing until somebody has.
    </Text>
  ));

const toRule = ({ days, tag }: { days: string; tag: string }) => ({
  days: Number(days),
  ...(tag.trim() === "" ? {} : { tag }),
});

/** Sets a rule. The counts of a preview come first. */
function NewRule() {
  const count = useAction(
    (values: { days: string; tag: string }) => settingsClient.retention.preview.query(toRule(values)),
    { failure: "Could not count the meetings" },
  );
  const form = useContractForm({
    schema: ({ RetentionInput }) => RetentionInput.rule,
    initial: { days: "", tag: "" },
    toInput: toRule,
    send: settingsClient.retention.set.mutate,
    draft: "retention/new",
    failure: "Could not set the rule",
    success: "Rule set. Nothing is deleted within a day.",
    changes,
  });
  const isCounted =
    count.output !== undefined &&
    count.input?.days === form.values.days &&
    count.input.tag === form.values.tag;
  const { onSubmit: _, ...props } = form.props;
  return (
    <Section
      title="Set a rule"
      about="A tag's rule overrides the rule for all meetings. If several tags match, the longest period applies. Meetings on hold are kept. To change a rule, set it again."
    >
      <form {...props} onSubmit={form.onSubmit(isCounted ? form.send : count.run)}>
        <Group align="flex-start">
          <TextInput label="Days" w={120} inputMode="numeric" {...form.getInputProps("days")} />
          <TextInput
            label="Tag"
            description="Leave empty for all meetings."
            inputWrapperOrder={["label", "input", "description", "error"]}
            w={300}
            {...form.getInputProps("tag")}
          />
        </Group>
        {isCounted && count.output && (
          <Alert color="yellow" title="Preview" role="status" mt="sm">
            {countMeetings(count.output.meetings)} would be deleted now
            {count.output.held > 0 && `, ${countMeetings(count.output.held)} on hold kept`}. Deleting begins
            after a day.
            <UnusedTags tags={count.output.unusedTags} />
          </Alert>
        )}
        <Button
          type="submit"
          mt="sm"
          variant={isCounted ? "filled" : "default"}
          loading={form.isPending || count.isPending}
        >
          {isCounted ? "Set the rule" : "Preview"}
        </Button>
      </form>
    </Section>
  );
}
