import { z } from "zod";
import { NoInput, query } from "./operation.js";
import { Role } from "./workspaces.js";

const WhoIsCalling = z
  .object({
    user: z
      .object({
        id: z.string().describe("The user's ID, as in `userId` of meetings."),
        name: z.string().describe("Display name."),
        email: z.string().describe("E-mail address."),
        role: Role.describe("Role in the workspace."),
      })
      .nullable()
      .describe("The key's user; null for a workspace key."),
    workspace: z
      .object({ id: z.string().describe("Its ID."), name: z.string().describe("Its name.") })
      .describe("The workspace whose meetings the key can read, or of which the user is a member."),
  })
  .meta({ id: "WhoIsCalling", description: "The user or workspace that a key belongs to." });
export type WhoIsCalling = z.infer<typeof WhoIsCalling>;

export const getCaller = query("caller.get", {
  callers: ["user", "workspace"],
  rest: { at: "GET /caller", id: "getCaller" },
  tool: {
    name: "whoami",
    title: "See who is asking",
    description: "Returns the key's user and workspace (“I” and “we”) and the current time.",
  },
  input: NoInput,
  output: WhoIsCalling,
  summary: { user: "Get the key's user", workspace: "Get the key's workspace" },
  description: "The user, null for a workspace key, and the workspace that the key belongs to.",
  example: {},
  refuses: [],
});
