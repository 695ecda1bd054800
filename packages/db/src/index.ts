export * from "./connect.js";
export * from "./data-dir-lock.js";
export * from "./database.js";
export * from "./faults.js";
export { migratePostgres, SchemaNewerError, schemaState } from "./migrate.js";
export * as schema from "./schema/index.js";
export { execute } from "./statement.js";
export { hasVectors } from "./vectors.js";
export { withTimeout } from "./with-timeout.js";
