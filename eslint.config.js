// Biome lints everything else. ESLint refuses regular expressions that take more than linear time, lists sent to SQL as JSON, and settings read past Config.
import parser from "@typescript-eslint/parser";
import regexp from "eslint-plugin-regexp";

export default [
  { ignores: ["**/dist/**", "**/testing/**", "**/*.test.{ts,tsx}"] },
  {
    files: ["{apps,packages}/*/src/**/*.{ts,tsx,js}"],
    languageOptions: { parser },
    plugins: { regexp },
    rules: {
      "regexp/no-super-linear-backtracking": ["error", { report: "potential" }],
      "regexp/no-super-linear-move": ["error", { report: "potential" }],
      "no-restricted-syntax": [
        "error",
        {
          selector: "TemplateElement[value.raw=/array_elements_text/]",
          message: "Pass a list with writeArray and `= any(…::text::text[])` or `unnest`.",
        },
        {
          selector: "CallExpression[callee.property.name='insert'][arguments.0.property.name='auditLog']",
          message: "Record a change with audit().",
        },
      ],
    },
  },
  {
    files: ["packages/*/src/**/*.ts", "apps/server/src/{config,demo,http,mcp,operations,search}/**/*.ts"],
    ignores: ["packages/testing/**", "**/tests/**"],
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
