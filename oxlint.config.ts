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
    // An exhaustive switch is no missing return; noImplicitReturns of the compiler covers the rest.
    'consistent-return': 'off',
    'typescript/consistent-return': 'off',
    // Rows of a database and messages of a thread get their type by assertion, where they come in.
    'typescript/no-unsafe-type-assertion': 'off',
    'import/no-unassigned-import': ['error', { allow: ['**/*.css'] }],
    // Of browser windows. Worker threads have no origin.
    'unicorn/require-post-message-target-origin': 'off',
    // It takes every method named fill for that of an array.
    'unicorn/no-array-fill-with-reference-type': 'off',
    // The compiler lets a name that begins with _ go unused, too.
    'no-underscore-dangle': 'off',
    'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    // fc.property of fast-check and Type of typebox are written as their documentation writes them.
    'import/no-named-as-default': 'off',
    'import/no-named-as-default-member': 'off',
    // A closure stands where it is read, whether it captures something or not.
    'unicorn/consistent-function-scoping': 'off',
    // Express 5 takes them.
    'oxc/no-async-endpoint-handlers': 'off',
    // Goes by names alone: done, next, callback.
    'promise/no-callback-in-promise': 'off',
    complexity: ['error', 12],
    'max-depth': ['error', 3],
    'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
    'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
    'max-params': ['error', 4],
    'import/no-cycle': ['error', { ignoreTypes: false }],
    // Among others for import("x").T, which no-restricted-imports does not see.
    'typescript/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
    'typescript/no-floating-promises': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    'unicorn/filename-case': ['error', { case: 'kebabCase' }],
  },
  overrides: [
    // Commands of the CLI print; nothing else does.
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
          { object: 'Date', property: 'now', message: 'Take a Clock.' },
        ],
        'no-restricted-globals': [
          'error',
          {
            globals: [
              { name: 'setTimeout', message: 'Take a Clock.' },
              { name: 'setInterval', message: 'Take a Clock.' },
            ],
            checkGlobalObject: true,
          },
        ],
      },
    },
    // The direction of imports. test/layers plants a violation of each rule.
    ...importRules(),
    // A describe block is one function.
    {
      files: ['packages/*/test/**', 'packages/testing/**', 'test/**'],
      rules: { 'max-lines-per-function': 'off' },
    },
  ],
})
