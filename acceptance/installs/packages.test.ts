import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestServer } from "@minutes/server/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ClientPackage, packClient } from "../support/client-package.js";
import { EXPECTED_RESULT, NPM_FLAGS, startServer, writeProgram } from "../support/consumer.js";
import { run, runInEmptyFolder, toRepositoryPath } from "../support/run.js";

const PROGRAMS = { "calls.mjs": "esm", "calls.cjs": "cjs" } as const;
/** Not in the workspace's lockfile: packages there with TypeScript as a peer would get the newest version. */
const COMPILERS = { "5.9": "5.9.3", "6.0": "6.0.3", "7.0": "7.0.2" };
const INSTALLERS = {
  npm: ["install", ...NPM_FLAGS],
  pnpm: ["add", "--prefer-offline", "--reporter=silent"],
} as const;

/** Installed next to the client. */
const BESIDE = ["@trpc/client", "@trpc/server", "@types/node@26"];
const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
  target: "es2022",
  module: "nodenext",
};
/** Where programs run, and the types they have. tRPC's own types name Disposable and RequestInfo. */
const PLACES = {
  browser: {
    lib: ["es2023", "esnext.disposable", "dom", "dom.iterable"],
    types: [],
    declarations: "export {};",
  },
  node: {
    lib: ["es2023", "esnext.disposable"],
    types: ["node"],
    declarations: "type RequestInfo = string | URL | Request;",
  },
};

/** Compiles only against the published types: in the workspace, input types come from the contract, with mutable arrays. */
const PUBLISHED = `
const frozen = { externalId: "1", ownerEmail: "a@example.com", title: "T", startTime: "2026-01-01T10:00:00Z", tasks: [{ text: "Write" }] } as const;
export const importFrozen = () => recorder.meetings.import.mutate(frozen);
`;

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
  ({ server, env } = await startServer());
});
afterAll(async () => {
  await server.close();
  await client.remove();
  await rm(compilers, { recursive: true, force: true });
});

describe.each(Object.keys(INSTALLERS) as (keyof typeof INSTALLERS)[])(
  "%s installs it into an empty folder",
  (installer) => {
    test("calls run as ESM and CommonJS, and strict types hold on TypeScript 5.9, 6.0 and 7.0", () =>
      runInEmptyFolder(async (folder) => {
        await writeFile(join(folder, "package.json"), '{"name":"consumer","private":true,"type":"module"}');
        await run(installer, [...INSTALLERS[installer], client.tarball, ...BESIDE], {
          cwd: folder,
        });

        for (const [file, imports] of Object.entries(PROGRAMS)) {
          await writeFile(join(folder, file), await writeProgram(imports));
          expect(JSON.parse(await run("node", [file], { cwd: folder, env }))).toEqual(EXPECTED_RESULT);
        }

        const program =
          (await readFile(toRepositoryPath("acceptance/consumer/types.ts"), "utf8")) + PUBLISHED;
        for (const file of ["types.mts", "types.cts"]) await writeFile(join(folder, file), program);
        for (const [place, { lib, types, declarations }] of Object.entries(PLACES)) {
          await writeFile(join(folder, `${place}.d.ts`), declarations);
          const files = ["types.mts", "types.cts", `${place}.d.ts`];
          const config = { compilerOptions: { ...STRICT, lib, types }, files };
          await writeFile(join(folder, `tsconfig.${place}.json`), JSON.stringify(config));
        }
        for (const version of Object.keys(COMPILERS)) {
          const compiler = join(compilers, `node_modules/typescript-${version}/bin/tsc`);
          for (const place of Object.keys(PLACES))
            await run("node", [compiler, "-p", `tsconfig.${place}.json`], { cwd: folder });
        }
      }));
  },
);

test("npx finds the program by the package's name, and it syncs a folder", () =>
  runInEmptyFolder(async (folder) => {
    await run("npm", ["install", ...NPM_FLAGS, client.tarball], { cwd: folder });
    const { BASE_URL: MINUTES_URL = "", ME_KEY: MINUTES_API_KEY = "" } = env;
    const npx = (...args: string[]) =>
      run("npx", ["@minutes/client", ...args], {
        cwd: folder,
        env: { MINUTES_URL, MINUTES_API_KEY },
      });
    expect(await npx("--help")).toMatch(/^Usage: minutes-client sync <folder>/);
    expect(await npx("sync", "vault", "--once")).toMatch(/^3 written, 0 removed in vault\.$/m);
    // The clients above complete and reopen the task.
    expect(await readFile(join(folder, "vault/2026-03-01 Newest.md"), "utf8")).toMatch(
      /^- \[[ x]\] Newest$/m,
    );
  }));

test("examples/react installs with npm, type-checks and builds outside the workspace", () =>
  runInEmptyFolder(async (folder) => {
    const filter = (path: string) => !/\/(node_modules|dist)$/.test(path);
    await cp(toRepositoryPath("examples/react"), folder, { recursive: true, filter });
    await run("npm", ["install", ...NPM_FLAGS, client.tarball], { cwd: folder });
    await run("npm", ["run", "build"], { cwd: folder });
  }));
