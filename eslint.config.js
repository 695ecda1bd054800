// Biome lints everything else. ESLint runs two rules only: they refuse regular expressions that take more than linear time.
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
    },
  },
];
