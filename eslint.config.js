import js from "@eslint/js";
import globals from "globals";

const lines = (max) => ["error", { max, skipBlankLines: true, skipComments: true }];

// Words that name many things: none of them is a name (tests/test_house.py).
const BINDINGS = [
  "VariableDeclarator > Identifier.id",
  "Property > Identifier.value:matches(ObjectPattern Identifier)",
  ":function > Identifier.params",
  "FunctionDeclaration > Identifier.id",
  "MethodDefinition > Identifier.key",
];
const unnamed = BINDINGS.map((each) => ({
  selector: `${each}[name=/^(of|said|kept|found|turn|look)$/]`,
  message: "Say what it is.",
}));

export default [
  { ignores: ["**/.*/", "tests/design_steps.js"] },
  js.configs.recommended,
  {
    languageOptions: { globals: globals.browser },
    rules: {
      "max-lines": lines(400),
      "max-lines-per-function": lines(30),
      "no-duplicate-imports": "error",
      "no-restricted-syntax": ["error", ...unnamed],
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", ignoreRestSiblings: true }],
      "one-var": ["error", "never"],
      "prefer-const": "error",
    },
  },
];
