import { describe, expect, it } from 'vitest'
import { SOURCE_RULES } from './source-rules.ts'
import { readRepositoryFile, repositoryFiles } from '@hookline/testing/repository'

describe.for(SOURCE_RULES)(
  'the rule that every source file $name',
  ({ breaks, planted: broken, innocent: whole }) => {
    it('reports a planted violation', () => {
      expect([breaks(...broken), breaks(...whole)]).toEqual([true, false])
    })

    it('holds in the whole repository', () => {
      expect(sources().filter((path) => breaks(path, readRepositoryFile(path)))).toEqual([])
    })
  },
)

function sources(): string[] {
  return ['packages', 'test', 'bench', 'docs', 'layers', 'release']
    .flatMap((folder) => repositoryFiles(folder))
    .filter((path) => /\.(?:ts|tsx)$/.test(path))
}
