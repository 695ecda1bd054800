import { z } from "zod";
import { LIMITS } from "./limits.js";
import { trimmedText } from "./text.js";

/** A term for the transcriber. @see docs/specification.md#limits */
export const VocabularyTerm = trimmedText(1, LIMITS.vocabularyTermMax);

/** The user's own list or the workspace's. */
export const VocabularyList = z.enum(["personal", "team"]);
export type VocabularyList = z.infer<typeof VocabularyList>;

/** The terms that apply to a meeting's owner. */
export const Vocabulary = z.object({
  personal: z.array(z.string()).describe("The owner's own terms."),
  team: z.array(z.string()).describe("The terms of the owner's workspace."),
});
export type Vocabulary = z.infer<typeof Vocabulary>;

/** Parameters of `vocabulary.add` and `vocabulary.remove`. */
export const ListedTerm = z.strictObject({
  list: VocabularyList.describe("`personal` is the caller's own list, `team` the workspace's."),
  term: VocabularyTerm.describe("Word or phrase that speech recognition should know."),
});
