import { Text, Typography } from "@mantine/core";
import { demoteHeadings } from "./demote-headings";

/** Shows a summary. The server rendered and sanitized its HTML. */
export const Summary = ({ summary: { html } }: { summary: { html: string } }) =>
  html === "" ? (
    <Text size="sm" c="dimmed">
      This meeting has no summary, or your plan locks it. See Plan and usage in the settings.
    </Text>
  ) : (
    <Typography className="summary">
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the server sanitizes it, and the page's CSP runs no inline script */}
      <div dangerouslySetInnerHTML={{ __html: demoteHeadings(html) }} />
    </Typography>
  );
