export * from "./connect-embedded.js";
export * from "./connect-postgres.js";
export type { Connection } from "./connection.js";
export * from "./data-dir-lock.js";
export * from "./database.js";
export { requireDatabaseUrl } from "./database-url.js";
export { Deadline, endWith } from "./deadline.js";
export { setStatementTimeout } from "./drop-overdue.js";
export { RESTORING, requireNoUnfinishedRestore } from "./embedded/directory.js";
export type { Engine, EngineEvent } from "./embedded/engine.js";
export { executePrepared } from "./execute-prepared.js";
export { ExplainedError } from "./explained-error.js";
export * from "./faults.js";
export { insertRows } from "./insert-rows.js";
export { distributeDatabase } from "./layout/distribute.js";
export { updateSqlFunctions } from "./layout/update-sql-functions.js";
export { type DatabaseLayout, readLayout } from "./layout/workers.js";
export {
  getSchemaState,
  getSchemaVersion,
  hasSchema,
  migratePostgres,
  SchemaNewerError,
} from "./migrate.js";
export * as schema from "./schema/index.js";
export {
  type FinishedStatement,
  observeStatements,
  runNamedStatement,
  type StatementObserver,
  toSqlNumber,
} from "./statement.js";
export { isMoveUnfinished, MOVE_TABLE, requireNoUnfinishedMove } from "./unfinished-move.js";
export { hasVectors } from "./vectors.js";
export { withTimeout } from "./with-timeout.js";
export { writeArray } from "./write-array.js";
export * from "./yield-to-event-loop.js";
