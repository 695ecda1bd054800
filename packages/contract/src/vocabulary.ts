import { z } from "zod";
import { LIMITS } from "./limits.js";
import { MESSAGES } from "./messages.js";
import { createRefusal, mutation, NoInput, query, Success } from "./operation.js";
import { trimmedText } from "./text.js";

/** The terms that apply to a meeting's owner. */
export const Vocabulary = z.object({
  personal: z.array(z.string()).describe("The owner's own terms."),
  team: z.array(z.string()).describe("The terms of the owner's workspace."),
});
export type Vocabulary = z.infer<typeof Vocabulary>;

/** Parameters of `vocabulary.add` and `vocabulary.remove`. */
export const ListedTerm = z.strictObject({
  list: z.enum(["personal", "team"]).describe("`personal` is the caller's own list, `team` the workspace's."),
  term: trimmedText(1, LIMITS.vocabularyTermMax).describe(
    "Word or phrase that speech recognition should know.",
  ),
});
export type ListedTerm = z.infer<typeof ListedTerm>;

const OWN = { callers: ["user"], session: true, operator: {} } as const;
const TERM = { list: "personal", term: "Turbine" };
const ADMINS = createRefusal(403, MESSAGES.onlyAdmins);

export const listVocabulary = query("vocabulary.list", {
  ...OWN,
  input: NoInput,
  output: Vocabulary,
  summary: "List vocabulary",
  description: "The caller's own terms and those of the workspace, which a transcriber should know.",
  example: {},
  refuses: [],
});

export const addTerm = mutation("vocabulary.add", {
  ...OWN,
  input: ListedTerm,
  output: Success,
  summary: "Add a term",
  description: "The team's list is for admins. Adding an existing term is a no-op.",
  example: TERM,
  refuses: [ADMINS, createRefusal(409, MESSAGES.tooManyTerms)],
});

export const removeTerm = mutation("vocabulary.remove", {
  ...OWN,
  input: ListedTerm,
  output: Success,
  summary: "Remove a term",
  description: "The team's list is for admins.",
  example: TERM,
  refuses: [ADMINS, createRefusal(404, MESSAGES.termNotFound)],
});
