import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { listAffectedTests } from "./affected-tests.js";
import { ModuleGraph } from "./module-graph.js";

const graph = new ModuleGraph(fileURLToPath(new URL("../../../..", import.meta.url)));
const CORE = "packages/core/src";
const SERVER = "apps/server/src";

/** Lists the affected tests of the default suite. */
const list = (...changed: string[]) =>
  listAffectedTests(graph, new Set(changed)).filter(
    (path) => !/^bench\/|\.(browser|cluster|process|soak|tools)\.test/.test(path),
  );

describe("a change of a domain", () => {
  let affected: string[];
  beforeAll(() => {
    affected = list(`${CORE}/meetings/tags/manage.ts`);
  });

  test.each([
    ["lies beside it", `${CORE}/meetings/tags/list.test.ts`],
    ["imports it through an index", `${CORE}/meetings/search.test.ts`],
    ["names its operation", `${CORE}/workspaces/audit-usage.test.ts`],
    ["runs its command", `${SERVER}/commands/nouns.test.ts`],
    ["goes through all operations", `${SERVER}/tests/authorization.test.ts`],
  ])("affects a test that %s", (_, path) => {
    expect(affected).toContain(path);
  });

  test("does not affect a test whose harness alone imports it", () => {
    expect(affected).not.toContain(`${CORE}/people/directory/merge.test.ts`);
  });
});

test.each(["index", "list", "manage", "router"])(
  "a change in tags/%s.ts affects fewer than 40 files",
  (name) => {
    expect(list(`${CORE}/meetings/tags/${name}.ts`).length).toBeLessThan(40);
  },
);

test("a change of a shared file affects the tests that import what imports it", () => {
  expect(list(`${CORE}/meetings/tags/owner.ts`)).toContain(`${CORE}/webhooks/webhooks.test.ts`);
});

test("a change of a router or of what implements a tool or a resource affects the tests that name them", () => {
  expect(list(`${CORE}/meetings/tags/router.ts`)).toContain(`${CORE}/sign-in/account.test.ts`);
  expect(list(`${CORE}/meetings/tags/list.ts`)).toContain(`${SERVER}/mcp/keys.test.ts`);
  expect(list(`${CORE}/meetings/tags/list.ts`)).toContain(`${CORE}/api/rest.test.ts`);
});

test("a change of the server, the harness or the schema affects all tests that start it", () => {
  const requests = `${CORE}/api/requests.test.ts`;
  for (const path of [
    `${SERVER}/http/app.ts`,
    "packages/testing/src/given.ts",
    "packages/db/src/schema/meetings.ts",
  ])
    expect(list(path)).toContain(requests);
});
