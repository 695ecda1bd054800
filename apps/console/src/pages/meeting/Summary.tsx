import { Typography } from "@mantine/core";
import { Empty } from "../../components/states";

/** Shows a summary. Its HTML was made and sanitised by the server. */
export const Summary = ({ html }: { html: string }) =>
  html === "" ? (
    <Empty title="There is no summary.">It may be locked by the plan, or the meeting came without one.</Empty>
  ) : (
    <Typography className="summary">
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the server sanitises it, and the page's CSP runs no inline script */}
      <div dangerouslySetInnerHTML={{ __html: html }} />
    </Typography>
  );
