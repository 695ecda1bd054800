import { Table } from "@mantine/core";
import type { ReactNode } from "react";

/** A table whose rows are `children`. Narrower than `minWidth` pixels, it scrolls sideways. */
export const DataTable = ({
  columns,
  caption,
  minWidth,
  children,
}: {
  columns: readonly string[];
  caption?: string;
  minWidth: number;
  children: ReactNode;
}) => (
  <Table.ScrollContainer minWidth={minWidth} aria-label={caption ?? "Table"}>
    <Table verticalSpacing="sm" captionSide="top">
      {caption !== undefined && <Table.Caption ta="left">{caption}</Table.Caption>}
      <Table.Thead>
        <Table.Tr>
          {columns.map((column) => (
            <Table.Th key={column}>{column}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>{children}</Table.Tbody>
    </Table>
  </Table.ScrollContainer>
);
