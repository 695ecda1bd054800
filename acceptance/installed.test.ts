import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestServer, testServer } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ClientPackage, packClient } from "./support/client-package.js";
import { inEmptyFolder, inRepository, run } from "./support/run.js";

const NAMES = "createMeClient, createWorkspaceClient, link, MinutesError, paginate";
const IMPORTS = {
  "calls.mjs": `import { ${NAMES} } from "@minutes/client";\nimport { createTRPCClient } from "@trpc/client";\n`,
  "calls.cjs": `const { ${NAMES} } = require("@minutes/client");\nconst { createTRPCClient } = require("@trpc/client");\n`,
};
/** Not in the workspace's lockfile: every package there whose peer is TypeScript would be given the newest. */
const COMPILERS = { "5.9": "5.9.3", "6.0": "6.0.3", "7.0": "7.0.2" };
const NPM_FLAGS = ["--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
const INSTALLERS = {
  npm: ["install", ...NPM_FLAGS],
  pnpm: ["add", "--prefer-offline", "--reporter=silent"],
} as const;

let client: ClientPackage;
let compilers: string;
let server: TestServer;
let env: Record<string, string>;
beforeAll(async () => {
  client = await packClient();
  compilers = await mkdtemp(join(tmpdir(), "minutes-compilers-"));
  const aliases = Object.entries(COMPILERS).map(
    ([name, version]) => `typescript-${name}@npm:typescript@${version}`,
  );
  await run("npm", ["install", "--prefix", compilers, ...NPM_FLAGS, ...aliases], { cwd: compilers });
  server = await testServer();
  const company = await server.given.company();
  const anna = await server.given.member(company, { email: "anna@example.com" });
  for (const title of ["Oldest", "Middle", "Newest"]) {
    const startTime = `2026-0${["Oldest", "Middle", "Newest"].indexOf(title) + 1}-01T10:00:00Z`;
    await server.given.meeting(anna, { title, startTime, tasks: [{ text: title }] });
  }
  env = { BASE_URL: server.url, ME_KEY: anna.key, WORKSPACE_KEY: company.key };
}, 120_000);
afterAll(async () => {
  await server.close();
  await client.remove();
  await rm(compilers, { recursive: true, force: true });
});

describe.each(Object.keys(INSTALLERS) as (keyof typeof INSTALLERS)[])(
  "%s installs it into an empty folder",
  (installer) => {
    test(
      "calls run as ESM and CommonJS, and strict types hold on TypeScript 5.9, 6.0 and 7.0",
      () =>
        inEmptyFolder(async (folder) => {
          await writeFile(join(folder, "package.json"), '{"name":"consumer","private":true,"type":"module"}');
          await run(installer, [...INSTALLERS[installer], client.tarball, "@trpc/client", "@trpc/server"], {
            cwd: folder,
          });

          const body = await readFile(inRepository("acceptance/consumer/calls.js"), "utf8");
          for (const [file, imports] of Object.entries(IMPORTS)) {
            await writeFile(join(folder, file), imports + body);
            expect(JSON.parse(await run("node", [file], { cwd: folder, env }))).toEqual({
              titles: ["Newest", "Middle", "Oldest"],
              email: "anna@example.com",
              completed: true,
              refused: [true, 404, "not_found", "Meeting not found"],
            });
          }

          const types = await readFile(inRepository("acceptance/consumer/types.ts"), "utf8");
          for (const file of ["types.mts", "types.cts"]) await writeFile(join(folder, file), types);
          await writeFile(
            join(folder, "tsconfig.json"),
            JSON.stringify({
              compilerOptions: {
                strict: true,
                exactOptionalPropertyTypes: true,
                noUncheckedIndexedAccess: true,
                noEmit: true,
                target: "es2022",
                // tRPC's own types name Disposable.
                lib: ["es2023", "esnext.disposable", "dom", "dom.iterable"],
                module: "nodenext",
                types: [],
              },
              files: ["types.mts", "types.cts"],
            }),
          );
          for (const version of Object.keys(COMPILERS)) {
            await run("node", [join(compilers, `node_modules/typescript-${version}/bin/tsc`), "-p", "."], {
              cwd: folder,
            });
          }
        }),
      240_000,
    );
  },
);
