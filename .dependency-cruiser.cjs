/**
 * Who may import whom. `pnpm verify` checks it with dependency-cruiser:
 *
 *   contract → zod · db → drizzle and its drivers · background → db · search → contract, db, background · encoder → nothing
 *   core → contract, db, background, search · server → core, search, encoder, background, transcripts, client, db, contract
 *   transcripts → contract · reference → contract, core · client → @trpc/*, its tests and generator reference, core's types
 *   console → contract, client, core's types · acceptance → anything, and nothing imports it
 *   testing → core, db, contract, and only tests import it and the test server, apps/server/src/testing
 *   bench → anything, and nothing imports it
 *
 * A package that package.json doesn't list can't be resolved and keeps its name, so each rule knows a package by
 * its folder and by its name.
 */

const folder = (name) =>
  /^(server|console)$/.test(name)
    ? `apps/${name}`
    : /^(bench|acceptance)$/.test(name)
      ? name
      : `packages/${name}`;
const inside = (name) => `^${folder(name)}/`;
const workspace = (...names) => names.flatMap((name) => [inside(name), `^@minutes/${name}(/|$)`]);
/** The test server and what drives it. */
const testServer = ["^apps/server/src/testing/", "^@minutes/server/testing$"];
const npm = (...names) => names.map((name) => `(^|/)node_modules/${name}/`);

const tests = "\\.test\\.tsx?$";
const everything = [
  "contract",
  "db",
  "background",
  "search",
  "encoder",
  "core",
  "reference",
  "transcripts",
  "client",
  "testing",
  "server",
  "bench",
  "acceptance",
];

/** Lists rules: `name` may import of the workspace only `allowed`; `typesOnly` as `import type`. Tests may also use testing and the test server. */
const listDirectionRules = (name, comment, allowed, typesOnly = []) => {
  const others = everything.filter((other) => ![name, "testing", ...allowed, ...typesOnly].includes(other));
  return [
    {
      name: `${name}-direction`,
      comment,
      severity: "error",
      from: { path: inside(name) },
      to: { path: workspace(...others), pathNot: name === "testing" ? [] : testServer },
    },
    ...typesOnly.map((other) => ({
      name: `${name}-takes-types-of-${other}`,
      comment: `${comment} Of ${other} it takes types, which are gone at run time.`,
      severity: "error",
      from: { path: inside(name) },
      to: { path: workspace(other), dependencyTypesNot: ["type-only"] },
    })),
  ];
};

/** Writes the rule: beyond the workspace, `name`'s sources import only these npm packages. Its tests and its build use tools. */
const toPackagesRule = (name, comment, ...allowed) => ({
  name: `${name}-packages`,
  comment,
  severity: "error",
  from: { path: `${inside(name)}src/`, pathNot: tests },
  to: { path: "(^|/)node_modules/", pathNot: npm(...allowed) },
});

/** A file in one of core's domains (its folders), whose name is $1 in `to`. */
const coreFolder = "^packages/core/src/([^/]+)/";

/** Core's domains from the bottom up. A domain imports only those before it, so domains can't form a cycle. */
const domains = [
  "lib",
  "access",
  "api",
  "events",
  "versions",
  "workspaces",
  "people",
  "meetings",
  "keys",
  "webhooks",
  "digests",
  "calendar",
  "members",
  "sign-in",
  "public-links",
  "erasure",
  "editing",
  "ask",
  "sync",
  "export",
  "ingest",
];
const domain = (names) => `^packages/core/src/(${names.join("|")})/`;
const domainOrder = [
  ...domains.slice(0, -1).map((name, at) => ({
    name: `domain-${name}`,
    comment: `${name} stands below these domains: see their order above.`,
    severity: "error",
    from: { path: domain([name]), pathNot: "\\.test\\.tsx?$" },
    to: { path: domain(domains.slice(at + 1)) },
  })),
  {
    name: "domain-has-a-place",
    comment:
      "A new domain of core needs a place in the order above. Only the assembled routers lie beside them.",
    severity: "error",
    from: {
      path: "^packages/core/src/",
      pathNot: [domain(domains), "^packages/core/src/(index|routers)\\.ts$"],
    },
    to: {},
  },
];

/** Folders of apps/server/src from the bottom up. The loose files compose all of them. */
const floors = ["config", "search", "demo", "operations", "mcp", "http", "commands"];
const serverFiles = "^apps/server/src/";
const serverTests = ["\\.test\\.ts$", `${serverFiles}(testing|tests)/`, "/testing/"];
const floorOrder = [
  ...floors.map((name, at) => ({
    name: `server-${name}`,
    comment: `${name} stands below these folders and files of the server: see the order of floors above.`,
    severity: "error",
    from: { path: `${serverFiles}${name}/`, pathNot: serverTests },
    to: { path: [...floors.slice(at + 1).map((above) => `${serverFiles}${above}/`), `${serverFiles}[^/]+$`] },
  })),
  {
    name: "server-folder-has-a-place",
    comment: "A new folder of the server needs a place in the order of floors above.",
    severity: "error",
    from: { path: `${serverFiles}[^/]+/`, pathNot: [...serverTests, `${serverFiles}(${floors.join("|")})/`] },
    to: {},
  },
];

module.exports = {
  forbidden: [
    ...listDirectionRules(
      "contract",
      "The contract is bundled into the published client and read by all others: it stands on zod alone.",
      [],
    ),
    toPackagesRule(
      "contract",
      "The contract is bundled into the published client: a package here is a package there.",
      "zod",
    ),
    {
      name: "contract-runs-anywhere",
      comment: "The client runs in browsers too, and the contract in it: no Node built-ins.",
      severity: "error",
      from: { path: inside("contract"), pathNot: tests },
      to: { dependencyTypes: ["core"] },
    },

    ...listDirectionRules(
      "db",
      "The database knows tables, not what they mean: it is below every domain.",
      [],
    ),
    toPackagesRule(
      "db",
      "drizzle and its drivers, so that an engine can be exchanged in one package.",
      "drizzle-orm",
      "postgres",
      "@electric-sql/[^/]+",
    ),

    ...listDirectionRules("background", "Leases and loops know tables, not the work that is done.", ["db"]),
    toPackagesRule("background", "Leases are statements; the rest is Node.js.", "drizzle-orm"),

    ...listDirectionRules(
      "search",
      "Search knows texts and how to rank them. Which meetings a caller may see is an argument, decided by core.",
      ["contract", "db", "background"],
    ),
    toPackagesRule("search", "Search is SQL, arithmetic and a stemmer.", "drizzle-orm", "porter2"),

    ...listDirectionRules(
      "encoder",
      "The encoder turns texts into vectors and knows nothing of meetings.",
      [],
    ),
    toPackagesRule(
      "encoder",
      "The encoder is arithmetic; what splits texts and reads files is maintained by others.",
      "@huggingface/tokenizers",
      "pbf",
    ),

    ...listDirectionRules(
      "core",
      "The domains don't know the process that serves them, nor the clients that call them.",
      ["contract", "db", "background", "search"],
    ),
    ...listDirectionRules(
      "server",
      "The server composes what core offers; its clients reach it over HTTP alone. A move reads another server as a client.",
      ["core", "search", "encoder", "background", "db", "contract", "reference", "transcripts", "client"],
    ),

    ...listDirectionRules("transcripts", "Files are read and written without a database or a server.", [
      "contract",
    ]),

    ...listDirectionRules("reference", "What is said about the routers is read off the routers themselves.", [
      "contract",
      "core",
    ]),

    ...listDirectionRules(
      "client",
      "The client is published: no server code may end up in it.",
      ["contract", "reference"],
      ["core"],
    ),
    {
      name: "client-stands-alone",
      comment:
        "What the client is generated from stays behind: neither the generator nor the contract, with zod, is published.",
      severity: "error",
      from: {
        path: "^packages/client/src/",
        pathNot: [tests, "^packages/client/src/(routers|events)\\.ts$"],
      },
      to: { path: workspace("reference", "contract", "core") },
    },
    {
      name: "client-replaces-its-types",
      comment:
        "The build puts generated types in place of these two files: what is not a type would be lost.",
      severity: "error",
      from: { path: "^packages/client/src/(routers|events)\\.ts$" },
      to: { dependencyTypesNot: ["type-only"] },
    },
    toPackagesRule(
      "client",
      "Each package that the client imports is one that its users install.",
      "@trpc/[^/]+",
    ),

    ...listDirectionRules(
      "console",
      "The console is a client like any other and runs in a browser.",
      ["contract", "client", "transcripts"],
      ["core"],
    ),

    ...listDirectionRules("testing", "Databases and factories know no app.", ["core", "db", "contract"]),
    {
      name: "testing-is-for-tests",
      comment: "Factories and disposable servers must never reach production.",
      severity: "error",
      from: {
        pathNot: [
          tests,
          inside("testing"),
          inside("bench"),
          inside("acceptance"),
          "^apps/server/src/testing/",
          "^packages/client/test/",
          "^packages/core/src/.+/testing/",
        ],
      },
      to: { path: [...workspace("testing"), ...testServer] },
    },

    {
      name: "domain-tests-start-no-server",
      comment:
        "Tests of these folders call operations with openTestApi. What only HTTP can prove is tested elsewhere.",
      severity: "error",
      from: {
        path: "^packages/(background|core/src/(access|export|people|editing/speakers|meetings/(tags|tasks)))/",
        pathNot: "^packages/core/src/(access/networks|people/directory/)",
      },
      to: { path: testServer },
    },
    {
      name: "domain-through-its-index",
      comment:
        "A domain's index.ts is what it promises to the other folders; its other files may change without them.",
      severity: "error",
      from: { path: coreFolder },
      to: {
        path: coreFolder,
        pathNot: ["^packages/core/src/($1|lib|access|api)/", "^packages/core/src/.+/index\\.ts$"],
      },
    },
    {
      name: "no-domain-imports-ingest",
      comment:
        "Ingest drives the domains. One that knew it would make the order in which meetings arrive its own concern.",
      severity: "error",
      from: { path: coreFolder, pathNot: ["^packages/core/src/(ingest|settings)/", tests] },
      to: { path: "^packages/core/src/ingest/" },
    },
    {
      name: "only-routers-import-api",
      comment:
        "A domain is plain functions over a database; only its router and its procedures know that HTTP calls them.",
      severity: "error",
      from: {
        pathNot: [
          "^packages/core/src/api/",
          "^packages/core/src/.+/(router|procedures)\\.ts$",
          "^packages/core/src/(index|routers)\\.ts$",
          inside("server"),
          inside("bench"),
        ],
      },
      to: { path: "^packages/core/src/api/[^/]+$" },
    },

    {
      name: "one-way-to-run-a-procedure",
      comment:
        "core's runProcedure calls procedures, and its builders make them. Others take types of tRPC's server.",
      severity: "error",
      from: {
        path: [inside("server"), "^packages/core/src/"],
        pathNot: [
          tests,
          "^packages/core/src/(api/|lib/(errors|api-error)\\.ts$)",
          "^apps/server/src/commands/operator/",
        ],
      },
      to: { path: npm("@trpc/server"), dependencyTypesNot: ["type-only"] },
    },

    ...domainOrder,
    ...floorOrder,
    {
      name: "no-cycles",
      comment: "Two files that need each other are one file, or want a third.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "resolvable",
      comment: "What can't be found can't be checked. What a build writes into dist is there only after it.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true, pathNot: "/dist/" },
    },
  ],

  options: {
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true, // sees `import type`, which compiling removes
    preserveSymlinks: false, // node_modules/@minutes/db is packages/db
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(apps|packages)/[^/]+/dist/" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "types", "node", "default"],
    },
  },
};
