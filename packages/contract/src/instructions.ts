import { z } from "zod";
import { Language } from "./language.js";
import { LIMITS } from "./limits.js";
import { MESSAGES } from "./messages.js";
import { createRefusal, mutation, NoInput, query, Success } from "./operation.js";
import { Id, Name, trimmedText } from "./text.js";

const fields = {
  name: Name.describe("Name by which people choose it, unique in its list."),
  prompt: trimmedText(0, LIMITS.instructionMax).describe(
    `What the summary should be like, for the model: up to ${LIMITS.instructionMax.toLocaleString("en")} characters; empty changes nothing but the language.`,
  ),
  language: Language.nullable().describe(
    "Language of the summary: a code such as `de`, or its English name; null: as spoken.",
  ),
  tag: trimmedText(1, LIMITS.tagNameMax)
    .nullable()
    .describe("Chosen for meetings whose owner has given them a tag with this name; null: for none."),
  word: trimmedText(1, LIMITS.instructionWordMax)
    .nullable()
    .describe(
      "Chosen for meetings with this word or phrase in their title or calendar event; null: for none.",
    ),
  isDefault: z.boolean().describe("Chosen for all other meetings. A list has one default: the last one set."),
};

/** Parameters of `instructions.*`. @see docs/decisions/0390-summary-instructions.md */
export const InstructionInput = {
  create: z.strictObject({
    list: z
      .enum(["personal", "team"])
      .describe("`personal` is the caller's own list, `team` the workspace's, which admins edit."),
    ...fields,
    prompt: fields.prompt.default(""),
    language: fields.language.default(null),
    tag: fields.tag.default(null),
    word: fields.word.default(null),
    isDefault: fields.isDefault.default(false),
  }),
  update: z.strictObject({
    instructionId: Id.describe("The instruction's `id`."),
    name: fields.name.optional(),
    prompt: fields.prompt.optional(),
    language: fields.language.optional(),
    tag: fields.tag.optional(),
    word: fields.word.optional(),
    isDefault: fields.isDefault.optional(),
  }),
  ref: z.strictObject({ instructionId: Id.describe("The instruction's `id`.") }),
};
export type CreateInstruction = z.output<typeof InstructionInput.create>;
export type UpdateInstruction = z.output<typeof InstructionInput.update>;

export const SummaryInstruction = z
  .object({
    id: z.string().describe("The instruction's `instructionId`."),
    name: z.string().describe("Name by which people choose it."),
    prompt: z.string().describe("What the summary should be like, for the model."),
    language: z.string().nullable().describe("Code of the summary's language; null: as spoken."),
    tag: z.string().nullable().describe("Name of the tag whose meetings it is chosen for."),
    word: z.string().nullable().describe("Word of the title for whose meetings it is chosen."),
    isDefault: z.boolean().describe("True if it is chosen for all other meetings."),
  })
  .meta({ id: "SummaryInstruction", description: "What a model is told about summaries." });
export type SummaryInstruction = z.infer<typeof SummaryInstruction>;

export const SummaryInstructions = z.object({
  personal: z.array(SummaryInstruction).describe("The caller's own instructions, by name."),
  team: z.array(SummaryInstruction).describe("Those of the workspace, by name."),
  refusal: z
    .string()
    .nullable()
    .describe("Why this installation writes no summaries, so that none is used; null if it does."),
});
export type SummaryInstructions = z.infer<typeof SummaryInstructions>;

/** What a summary was written with, as it was at that time. */
export const SummaryOrigin = z
  .object({
    name: z.string().nullable().describe("Name of the instruction; null without one."),
    prompt: z.string().describe("What the model was told; empty without an instruction."),
    language: z.string().nullable().describe("Code of the language that was asked for; null: as spoken."),
  })
  .meta({ id: "SummaryOrigin", description: "The instruction and language that produced a summary." });
export type SummaryOrigin = z.infer<typeof SummaryOrigin>;

const OWN = { callers: ["user"], session: true, operator: {} } as const;
const ADMINS = createRefusal(403, MESSAGES.onlyAdmins);
const NAME_TAKEN = createRefusal(409, MESSAGES.instructionNameTaken);
const UNKNOWN = createRefusal(404, MESSAGES.instructionNotFound);
const INSTRUCTION = { instructionId: "ins_example" };

export const listInstructions = query("instructions.list", {
  ...OWN,
  rest: { at: "GET /summary-instructions", id: "listSummaryInstructions" },
  input: NoInput,
  output: SummaryInstructions,
  summary: "List summary instructions",
  description: "The caller's own instructions for summaries and those of the workspace.",
  example: {},
  refuses: [],
});

export const createInstruction = mutation("instructions.create", {
  ...OWN,
  rest: {
    at: "POST /summary-instructions",
    id: "createSummaryInstruction",
    content: ["name", "prompt", "tag", "word"],
  },
  input: InstructionInput.create,
  output: SummaryInstruction,
  summary: "Create a summary instruction",
  description: "Used for summaries that are written from then on. The team's list is for admins.",
  example: { list: "personal", name: "Sales call", prompt: "List objections first.", language: "de" },
  refuses: [ADMINS, NAME_TAKEN, createRefusal(409, MESSAGES.tooManyInstructions)],
});

export const updateInstruction = mutation("instructions.update", {
  ...OWN,
  rest: { at: "PATCH /summary-instructions/{instructionId}", id: "updateSummaryInstruction" },
  input: InstructionInput.update,
  output: SummaryInstruction,
  summary: "Change a summary instruction",
  description:
    "Absent fields stay unchanged. Summaries that it has produced keep the text that they were written with. The team's list is for admins.",
  example: { ...INSTRUCTION, isDefault: true },
  refuses: [ADMINS, UNKNOWN, NAME_TAKEN],
});

export const deleteInstruction = mutation("instructions.delete", {
  ...OWN,
  rest: { at: "DELETE /summary-instructions/{instructionId}", id: "deleteSummaryInstruction" },
  input: InstructionInput.ref,
  output: Success,
  summary: "Delete a summary instruction",
  description: "Summaries that it has produced stay. The team's list is for admins.",
  example: INSTRUCTION,
  refuses: [ADMINS, UNKNOWN],
});
