// Biome lints everything else. ESLint refuses regular expressions that take more than linear time, and second ways to do
// what docs/architecture.md names one way for. Exceptions are listed here: comments can't turn a rule off.
import parser from "@typescript-eslint/parser";
import regexp from "eslint-plugin-regexp";

/** Syntax that is refused outside the files that are its home. */
const REFUSED = [
  {
    selector: "TemplateElement[value.raw=/array_elements_text/]",
    message: "Pass a list with writeArray and `= any(…::text::text[])` or `unnest`.",
    home: [],
  },
  {
    selector: "CallExpression[callee.property.name='insert'][arguments.0.property.name='auditLog']",
    message: "Record a change with audit().",
    // networks.ts returns whether the network is new, and its actor is a key.
    home: ["packages/core/src/access/audit.ts", "packages/core/src/access/networks.ts"],
  },
  {
    selector: "CallExpression[callee.name='setInterval']",
    message: "Repeat work with startLoop or startEvery, a lease with startHeartbeat.",
    // drop-overdue.ts counts rounds. Neither packages/db nor a browser can import packages/background.
    home: [
      "packages/background/src/lease.ts",
      "packages/db/src/drop-overdue.ts",
      "apps/console/src/components/times.tsx",
    ],
  },
  {
    selector: "CallExpression[callee.name='callTRPCProcedure']",
    message: "Run a procedure with runProcedure().",
    home: ["packages/core/src/api/handler.ts"],
  },
  {
    selector: "NewExpression[callee.name='TRPCError']",
    message: "Refuse a call with ApiError and a message of the contract.",
    home: [],
  },
];
const HOMES = REFUSED.flatMap(({ home }) => home);

/** Refuses all of it, or in a home everything that is not at home there. */
const refuse = (file) => [
  "error",
  ...REFUSED.filter(({ home }) => !home.includes(file)).map(({ selector, message }) => ({
    selector,
    message,
  })),
];

export default [
  { ignores: ["**/dist/**", "**/testing/**", "**/*.test.{ts,tsx}"] },
  {
    files: ["{apps,packages}/*/src/**/*.{ts,tsx,js}"],
    languageOptions: { parser },
    linterOptions: { noInlineConfig: true },
    plugins: { regexp },
    rules: {
      "regexp/no-super-linear-backtracking": ["error", { report: "potential" }],
      "regexp/no-super-linear-move": ["error", { report: "potential" }],
      "no-restricted-syntax": refuse(undefined),
    },
  },
  ...HOMES.map((file) => ({ files: [file], rules: { "no-restricted-syntax": refuse(file) } })),
  {
    files: ["packages/*/src/**/*.ts", "apps/server/src/**/*.ts"],
    // Programs read the environment, and pass down what they read.
    ignores: [
      "packages/client/src/bin.ts",
      "packages/testing/**",
      "**/tests/**",
      "apps/server/src/start.ts",
      "apps/server/src/commands/**",
    ],
    languageOptions: { parser },
    rules: {
      "no-restricted-properties": [
        "error",
        {
          object: "process",
          property: "env",
          message: "Settings come from Config, which callers pass down.",
        },
      ],
    },
  },
];
