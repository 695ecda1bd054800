export * from "./connect-embedded.js";
export * from "./connect-postgres.js";
export type { Connection } from "./connection.js";
export * from "./data-dir-lock.js";
export * from "./database.js";
export { DataDirError } from "./embedded/directory.js";
export type { Engine, EngineEvent } from "./embedded/engine.js";
export * from "./faults.js";
export {
  hasSchema,
  MigrationLockedError,
  migratePostgres,
  SchemaNewerError,
  schemaState,
} from "./migrate.js";
export { PoolerError } from "./pooler.js";
export * as schema from "./schema/index.js";
export { execute, selectOne } from "./statement.js";
export { hasVectors } from "./vectors.js";
export { withTimeout } from "./with-timeout.js";
