import { z } from "zod";
import { MESSAGES } from "./messages.js";
import { createRefusal, mutation, NoInput, query } from "./operation.js";

/** What an e-mail is about. */
export const DIGEST_KINDS = ["meeting", "week"] as const;
export type DigestKind = (typeof DIGEST_KINDS)[number];

const MEETING_TEXT = "About each of the user's own meetings, when it is completed.";
const WEEK_TEXT = "On Monday morning, UTC: the user's open tasks, and the meetings of the week before.";

/** The e-mails about meetings that a user gets. */
export const Digests = z
  .object({
    available: z.boolean().describe("False without a mail server: nothing is sent."),
    meeting: z.boolean().describe(MEETING_TEXT),
    week: z.boolean().describe(WEEK_TEXT),
  })
  .meta({ id: "Digests", description: "The e-mails about meetings that a user asked for." });
export type Digests = z.infer<typeof Digests>;

/** Parameters of `digests.update`. Absent fields stay unchanged. */
export const DigestChange = z
  .strictObject({
    meeting: z.boolean().optional().describe(MEETING_TEXT),
    week: z.boolean().optional().describe(WEEK_TEXT),
  })
  .prefault({});
export type DigestChange = z.output<typeof DigestChange>;

const OWN = { callers: ["user"], session: true, operator: {}, output: Digests } as const;

export const getDigests = query("digests.get", {
  ...OWN,
  rest: { at: "GET /digests", id: "getDigests" },
  input: NoInput,
  summary: "Get the e-mails about meetings",
  description: "Which e-mails the caller gets about meetings.",
  example: {},
  refuses: [],
});

export const updateDigests = mutation("digests.update", {
  ...OWN,
  rest: { at: "PATCH /digests", id: "updateDigests" },
  input: DigestChange,
  summary: "Choose e-mails about meetings",
  description:
    "Starts or ends e-mails to the caller's address. Every e-mail has a link that ends them without signing in.",
  example: { meeting: false },
  refuses: [
    createRefusal(412, MESSAGES.digestsNeedMail),
    createRefusal(412, MESSAGES.digestsNeedConfirmedAddress),
  ],
});
