import js from "@eslint/js";
import globals from "globals";

const lines = (max) => ["error", { max, skipBlankLines: true, skipComments: true }];

export default [
  { ignores: ["**/.*/", "tests/design_steps.js"] },
  js.configs.recommended,
  {
    languageOptions: { globals: globals.browser },
    rules: {
      "max-lines": lines(400),
      "max-lines-per-function": lines(30),
      "no-duplicate-imports": "error",
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", ignoreRestSiblings: true }],
      "one-var": ["error", "never"],
      "prefer-const": "error",
    },
  },
];
