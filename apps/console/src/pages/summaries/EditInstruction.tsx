import { Button, Checkbox, NativeSelect, Stack, Textarea, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { settingsClient } from "../../api/clients";
import { Dialog } from "../../components/Dialog";
import { DraftNote } from "../../components/DraftNote";
import { listLanguages } from "../../components/languages";
import { useContractForm } from "../../components/use-contract-form";
import { INSTRUCTION_QUERIES, type Instruction, type ListName } from "./instruction";

interface EditProps {
  readonly list: ListName;
  /** The instruction to edit; absent to create one. */
  readonly instruction?: Instruction;
}

/** A button that opens the form to create or edit an instruction. */
export function EditInstruction(props: EditProps) {
  const { list, instruction } = props;
  const [opened, { open, close }] = useDisclosure(false);
  const create = list === "team" ? "Create a team instruction" : "Create an instruction";
  return (
    <>
      <Button
        onClick={open}
        aria-haspopup="dialog"
        {...(instruction ? { size: "xs", variant: "default" } : { size: "sm" })}
      >
        {instruction ? "Edit" : create}
      </Button>
      <Dialog opened={opened} onClose={close} title={instruction ? `Edit “${instruction.name}”` : create}>
        <InstructionForm {...props} onDone={close} />
      </Dialog>
    </>
  );
}

/** Empty fields are null in the API. */
const readInstruction = (instruction?: Instruction) => ({
  name: instruction?.name ?? "",
  prompt: instruction?.prompt ?? "",
  language: instruction?.language ?? "",
  tag: instruction?.tag ?? "",
  word: instruction?.word ?? "",
  isDefault: instruction?.isDefault ?? false,
});

const orNull = (text: string): string | null => text.trim() || null;

function useInstructionForm({ list, instruction, onDone }: EditProps & { readonly onDone: () => void }) {
  return useContractForm({
    schema: ({ InstructionInput }) => (instruction ? InstructionInput.update : InstructionInput.create),
    initial: readInstruction(instruction),
    toInput: ({ language, tag, word, ...values }) => ({
      ...(instruction ? { instructionId: instruction.id } : { list }),
      ...{ ...values, language: orNull(language), tag: orNull(tag), word: orNull(word) },
    }),
    send: (input) =>
      "instructionId" in input
        ? settingsClient.instructions.update.mutate(input)
        : settingsClient.instructions.create.mutate(input),
    draft: `instructions/${instruction?.id ?? list}`,
    failure: instruction ? "Could not save the instruction" : "Could not create the instruction",
    changes: INSTRUCTION_QUERIES,
    onSuccess: onDone,
  });
}

function InstructionForm(props: EditProps & { readonly onDone: () => void }) {
  const { instruction } = props;
  const form = useInstructionForm(props);
  return (
    <form {...form.props}>
      <Stack>
        <DraftNote form={form} />
        <TextInput
          label="Name"
          placeholder="Customer call"
          withAsterisk
          data-autofocus
          {...form.getInputProps("name")}
        />
        <Textarea
          label="What the summary should be like"
          description="Leave it empty if only the language matters."
          placeholder="Begin with what the customer asked for and what we promised. At most ten bullet points."
          autosize
          minRows={4}
          maxRows={12}
          {...form.getInputProps("prompt")}
        />
        <NativeSelect
          label="Language"
          data={[{ value: "", label: "As spoken" }, ...listLanguages(instruction?.language)]}
          {...form.getInputProps("language")}
        />
        <TextInput label="Use it for meetings with the tag" {...form.getInputProps("tag")} />
        <TextInput
          label="Use it for meetings with this in the title"
          description="A word or phrase in the title of the meeting or of its calendar event."
          {...form.getInputProps("word")}
        />
        <Checkbox
          label="Use it for all other meetings"
          description="Replaces the current default of this list."
          {...form.getInputProps("isDefault", { type: "checkbox" })}
        />
        <Button type="submit" loading={form.isPending}>
          {instruction ? "Save" : "Create"}
        </Button>
      </Stack>
    </form>
  );
}
