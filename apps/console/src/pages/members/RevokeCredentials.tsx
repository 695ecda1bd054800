import { settingsClient } from "../../api/clients";
import { ConfirmButton } from "../../components/actions";
import { Section } from "../../components/states";

/** Revokes everything that gives access to the workspace, after a leak. It ends the session of the caller too. */
export function RevokeCredentials() {
  const revoke = async () => {
    await settingsClient.workspaces.revokeCredentials.mutate({});
    // The caller's session has ended too.
    window.location.assign("/");
  };
  return (
    <Section
      title="After a leak"
      about="Revoke every key, session, one-time link and invitation of the workspace at once."
    >
      <ConfirmButton
        className="start"
        label="Revoke everything"
        title="Revoke everything?"
        confirm="Revoke everything"
        failure="Could not revoke everything"
        act={revoke}
      >
        All API keys of the workspace and its members stop working, and so do all recorders. Everyone is
        signed out, including you. Passwords, passkeys and webhooks stay.
      </ConfirmButton>
    </Section>
  );
}
