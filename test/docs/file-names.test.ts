import { describe, expect, it } from 'vitest'
import { markdownPages, readRepositoryFile, repositoryFiles } from '@hookline/testing/repository'

const FILES = repositoryFiles()

/** The source files in a page that do not exist. A page may omit the first folders of a path. */
function missingFiles(text: string): string[] {
  const named = [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)*\.ts)`/g)].map(([, path]) => path!)
  return named.filter((path) => !FILES.some((file) => `/${file}`.endsWith(`/${path}`)))
}

describe('the source files that pages name', () => {
  it.for(markdownPages())('exist: %s', (page) => {
    expect(missingFiles(readRepositoryFile(page))).toEqual([])
  })

  it('are reported if they are missing', () => {
    const text = '`service.ts`, `delivery/lanes/lane.ts`, `delivery/lane.ts`, `queues.ts`, `ane.ts`'
    expect(missingFiles(text)).toEqual(['delivery/lane.ts', 'queues.ts', 'ane.ts'])
  })
})
