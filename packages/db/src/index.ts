export * from "./connect-embedded.js";
export * from "./connect-postgres.js";
export * from "./data-dir-lock.js";
export type { Connection, Database } from "./database.js";
export { requireDatabaseUrl } from "./database-url.js";
export { Deadline, endWith, outliveCall } from "./deadline.js";
export { setStatementTimeout } from "./drop-overdue.js";
export { RESTORING, requireNoUnfinishedRestore } from "./embedded/directory.js";
export type { Engine, EngineEvent } from "./embedded/engine.js";
export type { OnEnd } from "./fair-limit.js";
export * from "./faults.js";
export { insertRows } from "./insert-rows.js";
export { distributeDatabase } from "./layout/distribute.js";
export { updateSqlFunctions } from "./layout/update-sql-functions.js";
export { type DatabaseLayout, readLayout } from "./layout/workers.js";
export {
  describeWrongEncoding,
  getSchemaState,
  getSchemaVersion,
  hasSchema,
  migratePostgres,
  SchemaNewerError,
} from "./migrate.js";
export * from "./moves.js";
export * as schema from "./schema/index.js";
export {
  executePrepared,
  type FinishedStatement,
  isSerial,
  observeStatements,
  runInTurn,
  runNamedStatement,
  type StatementObserver,
  toSqlNumber,
  writeArray,
} from "./statement.js";
export { hasVectors } from "./vectors.js";
export { withTimeout } from "./with-timeout.js";
export * from "./yield-to-event-loop.js";
