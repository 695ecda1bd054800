import { z } from "zod";
import { LIMITS } from "./limits.js";
import { trimmedText } from "./text.js";

/** A word that a transcriber has to know. @see docs/specification.md#limits */
export const VocabularyTerm = trimmedText(1, LIMITS.vocabularyTermMax);

/** Whose list: the user's own, or that of the workspace. */
export const VocabularyList = z.enum(["personal", "team"]);
export type VocabularyList = z.infer<typeof VocabularyList>;

/** What a transcriber needs of a meeting's owner. */
export const Vocabulary = z.object({
  personal: z.array(z.string()).describe("The owner's own terms."),
  team: z.array(z.string()).describe("Those of his workspace."),
});
export type Vocabulary = z.infer<typeof Vocabulary>;
