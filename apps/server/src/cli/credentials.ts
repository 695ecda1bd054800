import type { CreatedCredential } from "@minutes/core";
import { Option } from "commander";
import { note } from "./output.js";

/** Creates the option that also revokes what somebody created for a workspace. */
export const createRevokeOption = () =>
  new Option(
    "--revoke-credentials",
    "also revoke the keys and delete the webhooks that they created for the workspace",
  );

/** Names the credentials that somebody created, and says whether they still work. */
export function noteCredentials(
  email: string,
  credentials: readonly CreatedCredential[],
  revoked: boolean | undefined,
): void {
  if (credentials.length === 0) return;
  note(
    revoked
      ? `These credentials that ${email} created for the workspace are revoked:`
      : `These credentials that ${email} created for the workspace still work. --revoke-credentials revokes them:`,
  );
  for (const { kind, id, name } of credentials) note(`  ${id}  ${kind} "${name}"`);
}
