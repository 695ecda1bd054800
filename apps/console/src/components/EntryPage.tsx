import { Alert, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { getErrorMessage } from "../api/transport";

/** A page for visitors who are not signed in: one box with a title. */
export const EntryPage = ({
  title,
  heading,
  children,
}: {
  title: string;
  heading: string;
  children: ReactNode;
}) => (
  <main className="entry">
    <title>{`${title} · Minutes`}</title>
    <div className="entry-box">
      <img src="/icon.svg" alt="" width={32} height={32} />
      <Title order={1}>{heading}</Title>
      {children}
    </div>
  </main>
);

/** Shows the error of a failed step, if any. */
export const StepFailure = ({ error }: { error: unknown }) =>
  error ? (
    <Alert color="red" role="alert">
      {getErrorMessage(error)}
    </Alert>
  ) : null;
