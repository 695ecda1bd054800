import { Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Empty, Page } from "../components/states";

/** Says that an address leads nowhere, and where to go from there. */
export const NotFound = () => (
  <Page>
    <Empty title="There is no page at this address.">
      Check the address, or go to{" "}
      <Anchor size="sm" renderRoot={(props) => <Link to="/meetings" {...props} />}>
        your meetings
      </Anchor>{" "}
      or{" "}
      <Anchor size="sm" renderRoot={(props) => <Link to="/tasks" {...props} />}>
        your tasks
      </Anchor>
      .
    </Empty>
  </Page>
);
