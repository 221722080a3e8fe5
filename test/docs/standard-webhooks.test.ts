import { readRepositoryFile } from '@hookline/testing/repository'
import { expect, test } from 'vitest'

const ROWS = [
  ...readRepositoryFile('docs/reference/standard-webhooks.md').matchAll(
    /^\| .* \| `(\S+\.test\.ts)`: (.*?) +\|$/gm,
  ),
].map(([, file, name]) => ({ file: file!, name: name! }))

test('each clause of Standard Webhooks has a test', () => {
  const clauses = readRepositoryFile('docs/reference/standard-webhooks.md').match(/^\| .* \|$/gm)!
  // All rows in the table, except for its head.
  expect(ROWS).toHaveLength(clauses.length - 2)
})

test.each(ROWS)('$file contains the test "$name"', ({ file, name }) => {
  // The names of a block and of a test in it.
  const missing = name.split(' › ').filter((part) => !readRepositoryFile(file).includes(part))
  expect(missing).toEqual([])
})
