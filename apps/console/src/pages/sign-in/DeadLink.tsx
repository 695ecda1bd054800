import { Stack, Text } from "@mantine/core";
import { CopyLine } from "../../components/actions";

interface DeadLinkProps {
  /** Runs `minutes` on this installation. */
  readonly command: string;
  /** E-mail address of the sample's user; null without the sample. */
  readonly sampleEmail: string | null;
  /** True if the sign-in page sends links by e-mail. */
  readonly mailsLinks: boolean;
}

/** Says how to get another sign-in link on this installation. */
export const DeadLink = ({ command, sampleEmail, mailsLinks }: DeadLinkProps) =>
  mailsLinks ? (
    <Text size="sm">Request a new link on the sign-in page. It arrives by e-mail.</Text>
  ) : (
    <LinkCommand command={command} email={sampleEmail} />
  );

/**
 * Shows the command that prints a sign-in link.
 * @param email of the sample's user; null without the sample
 */
export const LinkCommand = ({ command, email }: { command: string; email: string | null }) => (
  <Stack gap="xs">
    <Text size="sm">
      {email === null
        ? "If you have an account, ask an admin of your workspace for a link (under Members), or run this on the server:"
        : "For another link, run this on the server:"}
    </Text>
    <CopyLine value={`${command} login ${email ?? "<e-mail>"}`} label="command for a link" />
  </Stack>
);
