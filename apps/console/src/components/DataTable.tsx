import { createContext, type ReactNode, useContext } from "react";

const Columns = createContext<readonly string[]>([]);

/**
 * A table whose rows are `children`, each a `DataRow`. Where it has little room, as on a telephone, each row becomes a block
 * with a line for each column, so that nothing scrolls sideways. The roles are written out: a browser takes them away from
 * elements that are shown as blocks.
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

/** One row of a `DataTable`: a child for each of its columns, in their order. */
export function DataRow({ children }: { children: readonly ReactNode[] }) {
  const columns = useContext(Columns);
  return (
    // biome-ignore lint/a11y/noRedundantRoles: see above
    <tr role="row">
      {columns.map((column, at) => (
        // biome-ignore lint/a11y/noRedundantRoles: see above
        <td key={column} role="cell" data-column={column}>
          {/* One box beside the column's name, whatever the cell holds. */}
          <div>{children[at]}</div>
        </td>
      ))}
    </tr>
  );
}

/** A table of two columns: what it is, and its value. */
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
