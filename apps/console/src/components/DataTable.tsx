import { createContext, type ReactNode, useContext } from "react";

const Columns = createContext<readonly string[]>([]);

/**
 * A table whose `children` are `DataRow`s. On a narrow screen each row becomes a block
 * with a line per column, so nothing scrolls sideways. The roles are explicit, because browsers drop them from
 * elements displayed as blocks.
 */
export const DataTable = ({
  columns,
  caption,
  children,
}: {
  columns: readonly string[];
  caption?: string;
  children: ReactNode;
}) => (
  <div className="data-box">
    {/* biome-ignore-start lint/a11y/noRedundantRoles: see above */}
    <table className="data-table" role="table">
      {caption !== undefined && <caption>{caption}</caption>}
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((column) => (
            <th key={column} role="columnheader" scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        <Columns value={columns}>{children}</Columns>
      </tbody>
    </table>
    {/* biome-ignore-end lint/a11y/noRedundantRoles: see above */}
  </div>
);

/** One row of a `DataTable`, with a child per column. */
export function DataRow({ children }: { children: readonly ReactNode[] }) {
  const columns = useContext(Columns);
  return (
    // biome-ignore lint/a11y/noRedundantRoles: see above
    <tr role="row">
      {columns.map((column, at) => (
        // biome-ignore lint/a11y/noRedundantRoles: see above
        <td key={column} role="cell" data-column={column}>
          {/* Wraps the cell's content in one box next to the column's name. */}
          <div>{children[at]}</div>
        </td>
      ))}
    </tr>
  );
}

/** A table of names and values. */
export const FactTable = ({ facts }: { facts: readonly (readonly [name: string, value: string])[] }) => (
  <table className="data-table">
    <tbody>
      {facts.map(([name, value]) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          <td>{value}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
