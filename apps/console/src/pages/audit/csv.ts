import { settingsClient } from "../../api/clients";
import type { AuditFilters } from "../../api/filters";
import { saveText } from "../../api/save";
import { getTargetName } from "./actions";

/** Converts the page's filters to the procedure's. Dates are days in the reader's time zone. */
export const toAuditInput = ({ actor, action, from, to }: AuditFilters) => ({
  ...(actor ? { actor } : {}),
  ...(action ? { action } : {}),
  ...(from ? { from: new Date(`${from}T00:00:00`).toISOString() } : {}),
  ...(to ? { to: new Date(`${to}T23:59:59.999`).toISOString() } : {}),
});

/** Downloads all matching entries as CSV. */
export async function saveAuditLog(filters: AuditFilters): Promise<void> {
  const { default: papa } = await import("papaparse");
  const rows: Record<string, string>[] = [];
  let cursor: number | undefined;
  do {
    const page = await settingsClient.audit.list.query({
      ...toAuditInput(filters),
      limit: 1000,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const entry of page.entries) {
      const { at, actor, actorName, action, object, method, network } = entry;
      const name = getTargetName(entry) ?? "";
      rows.push({
        ...{ time: at, actor, "actor name": actorName ?? "", action },
        ...{ object, "object name": name, method: method ?? "", network: network ?? "" },
      });
    }
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  // Prevents a spreadsheet from running a cell as a formula.
  const csv = papa.unparse(rows, {
    columns: ["time", "actor", "actor name", "action", "object", "object name", "method", "network"],
    escapeFormulae: true,
  });
  saveText("audit-log.csv", "text/csv", csv);
}
