import { defineConfig } from 'oxlint'
import { importRules } from './layers/import-rules.ts'

export default defineConfig({
  plugins: ['typescript', 'import', 'unicorn', 'promise', 'node', 'oxc'],
  options: { typeAware: true, reportUnusedDisableDirectives: 'error' },
  categories: { correctness: 'error', suspicious: 'error' },
  ignorePatterns: [
    '**/dist/**',
    '**/node_modules/**',
    'packages/cli/src/api/generated/**',
    'packages/server/*-site/**',
  ],
  rules: {
    // Has false positives for exhaustive switches; the compiler's noImplicitReturns covers the rest.
    'consistent-return': 'off',
    'typescript/consistent-return': 'off',
    // Database rows and thread messages are typed by assertion where they are read.
    'typescript/no-unsafe-type-assertion': 'off',
    'import/no-unassigned-import': ['error', { allow: ['**/*.css'] }],
    // Only for windows: worker threads have no origin.
    'unicorn/require-post-message-target-origin': 'off',
    // Mistakes any method named `fill` for Array's.
    'unicorn/no-array-fill-with-reference-type': 'off',
    // The compiler also allows unused names that start with _.
    'no-underscore-dangle': 'off',
    'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    // fast-check's fc.property and TypeBox's Type are used as in their documentation.
    'import/no-named-as-default': 'off',
    'import/no-named-as-default-member': 'off',
    // Helpers are defined next to their use, even if they capture nothing.
    'unicorn/consistent-function-scoping': 'off',
    // Valid in Express 5.
    'oxc/no-async-endpoint-handlers': 'off',
    // Only checks names: done, next, callback.
    'promise/no-callback-in-promise': 'off',
    complexity: ['error', 12],
    'max-depth': ['error', 3],
    'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
    'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
    'max-params': ['error', 4],
    'import/no-cycle': ['error', { ignoreTypes: false }],
    // Also covers import("x").T, which no-restricted-imports misses.
    'typescript/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
    'typescript/no-floating-promises': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    'unicorn/filename-case': ['error', { case: 'kebabCase' }],
  },
  overrides: [
    // Only the CLI and the test harness print.
    {
      files: ['packages/*/src/**'],
      excludeFiles: ['packages/cli/src/**', 'packages/testing/src/**'],
      rules: { 'no-console': 'error' },
    },
    {
      files: ['packages/{protocol,server}/src/**'],
      excludeFiles: ['packages/server/src/util/time/clock.ts'],
      rules: {
        'no-restricted-properties': [
          'error',
          { object: 'Date', property: 'now', message: 'Use a Clock.' },
        ],
        'no-restricted-globals': [
          'error',
          {
            globals: [
              { name: 'setTimeout', message: 'Use a Clock.' },
              { name: 'setInterval', message: 'Use a Clock.' },
            ],
            checkGlobalObject: true,
          },
        ],
      },
    },
    // Import rules. test/layers tests each rule with a violation.
    ...importRules(),
    // A describe block is one function.
    {
      files: ['packages/*/test/**', 'packages/testing/**', 'test/**'],
      rules: { 'max-lines-per-function': 'off' },
    },
  ],
})
