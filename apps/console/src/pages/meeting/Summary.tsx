import { Group, Typography } from "@mantine/core";
import { Copy } from "../../components/actions";
import { Empty } from "../../components/states";

/** Shows a summary, which can be copied as Markdown. Its HTML was made and sanitised by the server. */
export const Summary = ({ summary: { html, markdown } }: { summary: { html: string; markdown: string } }) =>
  html === "" ? (
    <Empty title="There is no summary.">
      It may be locked by the plan, which the page Plan and usage says, or the meeting came without one.
    </Empty>
  ) : (
    <>
      <Group justify="flex-end">
        <Copy value={markdown} label="Copy the summary" />
      </Group>
      <Typography className="summary">
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the server sanitises it, and the page's CSP runs no inline script */}
        <div dangerouslySetInnerHTML={{ __html: html }} />
      </Typography>
    </>
  );
