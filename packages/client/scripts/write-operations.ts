import { writeFileSync } from "node:fs";
import { OPERATIONS, PEOPLE_OPERATIONS } from "@minutes/contract/operations";

/** Writes the source of what the client knows of operations: it must not import their declarations, which need zod. */
export function writeOperations(): string {
  const routes = PEOPLE_OPERATIONS.flatMap(({ name, rest }) => (rest ? [`  "${name}": "${rest.at}",`] : []));
  const creates = OPERATIONS.filter(
    ({ rest, callers, session }) =>
      rest?.at.startsWith("POST ") && !rest.streams && (session || callers.includes("recorder")),
  ).map(({ name }) => `  "${name}",`);
  return `// Generated from the declarations of @minutes/contract by \`pnpm --filter @minutes/client generate\`.

/** Method and path below the mount of the operations that are called over REST. */
export const ROUTES = {
${[...new Set(routes)].toSorted().join("\n")}
} as const;

/** Writes that the service runs once per idempotency key: those that are a \`POST\` over REST. */
export const CREATES = [
${[...new Set(creates)].toSorted().join("\n")}
] as const;
`;
}

if (process.argv[1] === import.meta.filename)
  writeFileSync(new URL("../src/operations.generated.ts", import.meta.url), writeOperations());
