import { Button, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useAccount } from "../api/account";
import { settings, settingsClient } from "../api/clients";
import { ConfirmButton } from "../components/actions";
import { DataRow, DataTable } from "../components/DataTable";
import { nameLanguage } from "../components/languages";
import { Query } from "../components/Query";
import { Empty, Page, Section } from "../components/states";
import { EditInstruction } from "./summaries/EditInstruction";
import { INSTRUCTION_QUERIES, type Instruction, type ListName } from "./summaries/instruction";

/** Lists what summaries should be like: the person's own instructions and the team's, which admins edit. */
export function Summaries() {
  const { role } = useAccount();
  const lists = useQuery(settings.instructions.list.queryOptions({}));
  return (
    <Page>
      <Query query={lists}>
        {({ personal, team, refusal }) => (
          <>
            {refusal !== null && <Text size="sm">{refusal}</Text>}
            <InstructionList
              list="personal"
              title="Your instructions"
              about="The first instruction that matches a meeting applies: by tag, then by a word in its title or calendar event, then the default. At each step, yours come before the team's."
              instructions={personal}
              empty="You have no instructions yet."
              hint="Say what your summaries should be like: three bullet points, or the customer's objections first."
              canEdit
            />
            <InstructionList
              list="team"
              title="Team instructions"
              about="For the meetings of all members."
              instructions={team}
              empty="Your team has no instructions yet."
              hint={role === "admin" ? "Create one for everybody." : "An admin can create them."}
              canEdit={role === "admin"}
            />
          </>
        )}
      </Query>
    </Page>
  );
}

interface ListProps {
  readonly list: ListName;
  readonly title: string;
  readonly about: string;
  readonly instructions: readonly Instruction[];
  readonly empty: string;
  readonly hint: string;
  readonly canEdit: boolean;
}

function InstructionList({ list, title, about, instructions, empty, hint, canEdit }: ListProps) {
  return (
    <Section title={title} about={about} actions={canEdit && <EditInstruction list={list} />}>
      {instructions.length === 0 ? (
        <Empty title={empty}>{hint}</Empty>
      ) : (
        <DataTable columns={["Instruction", "Used for", "Language", ...(canEdit ? ["Actions"] : [])]}>
          {instructions.map((instruction) => (
            <DataRow key={instruction.id}>
              <Told instruction={instruction} />
              {describeUse(instruction)}
              {instruction.language === null ? "As spoken" : nameLanguage(instruction.language)}
              {canEdit && <InstructionButtons list={list} instruction={instruction} />}
            </DataRow>
          ))}
        </DataTable>
      )}
    </Section>
  );
}

/** Length in characters above which an instruction is cut. */
const LONG = 160;

/** Shows an instruction's name and text. A long text is cut until it is expanded. */
function Told({ instruction: { name, prompt } }: { instruction: Instruction }) {
  const [isWhole, { toggle }] = useDisclosure();
  const isLong = prompt.length > LONG;
  return (
    <>
      <Text fw={500} size="sm">
        {name}
      </Text>
      <Text size="sm" c="dimmed" maw={460} className="wrap-anywhere">
        {isLong && !isWhole ? `${prompt.slice(0, LONG).trimEnd()}…` : prompt}
      </Text>
      {isLong && (
        <Button size="compact-xs" variant="subtle" color="gray" onClick={toggle} aria-expanded={isWhole}>
          {isWhole ? "Show less" : "Show all"}
        </Button>
      )}
    </>
  );
}

const describeUse = ({ tag, word, isDefault }: Instruction): string => {
  const uses = [
    ...(tag === null ? [] : [`the tag “${tag}”`]),
    ...(word === null ? [] : [`“${word}” in the title`]),
    ...(isDefault ? ["all others"] : []),
  ].join(", ");
  return uses === "" ? "Only when chosen" : uses.charAt(0).toUpperCase() + uses.slice(1);
};

function InstructionButtons({ list, instruction }: { list: ListName; instruction: Instruction }) {
  const { id: instructionId, name } = instruction;
  return (
    <Group gap="xs">
      <EditInstruction list={list} instruction={instruction} />
      <ConfirmButton
        label="Delete"
        title={`Delete “${name}”?`}
        confirm="Delete"
        failure="Could not delete the instruction"
        success="Instruction deleted."
        changes={INSTRUCTION_QUERIES}
        act={() => settingsClient.instructions.delete.mutate({ instructionId })}
      >
        Later summaries are written without it. Those it has produced stay.
      </ConfirmButton>
    </Group>
  );
}
