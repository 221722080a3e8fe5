import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { markdownPages, readRepositoryFile, REPOSITORY } from '@hookline/testing/repository'

test('docs/console has the pictures that pages show, and no others', () => {
  const shown = markdownPages().flatMap((page) =>
    [...readRepositoryFile(page).matchAll(/console\/([\w-]+\.png)/g)].map(([, name]) => name!),
  )
  const files = readdirSync(join(REPOSITORY, 'docs/console'))
  expect(files.toSorted()).toEqual([...new Set(shown)].toSorted())
})
