import { z } from "zod";
import { LIMITS } from "./limits.js";
import { trimmedText } from "./text.js";

/** A word that a transcriber needs to know. @see docs/specification.md#limits */
export const VocabularyTerm = trimmedText(1, LIMITS.vocabularyTermMax);

/** Whose list: the user's own, or that of the workspace. */
export const VocabularyList = z.enum(["personal", "team"]);
export type VocabularyList = z.infer<typeof VocabularyList>;

/** The terms that apply to a meeting's owner. */
export const Vocabulary = z.object({
  personal: z.array(z.string()).describe("The owner's own terms."),
  team: z.array(z.string()).describe("The terms of the owner's workspace."),
});
export type Vocabulary = z.infer<typeof Vocabulary>;
