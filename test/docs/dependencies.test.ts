import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readRepositoryFile, REPOSITORY } from '@hookline/testing/repository'

const PAGE = 'docs/decisions/0002-dependencies.md'

describe(PAGE, () => {
  it('gives a reason for every runtime dependency, and for no other package', () => {
    const reasons = [...readRepositoryFile(PAGE).matchAll(/^\| `([^`]+)`\s*\|/gm)].map(
      ([, name]) => name!,
    )
    expect(reasons.toSorted()).toEqual(runtimeDependencies())
  })
})

/** The external dependencies of the published packages, sorted. */
function runtimeDependencies(): string[] {
  const names = readdirSync(join(REPOSITORY, 'packages')).flatMap((workspace) => {
    const manifest = JSON.parse(readRepositoryFile(`packages/${workspace}/package.json`)) as {
      dependencies?: Record<string, string>
    }
    return Object.keys(manifest.dependencies ?? {})
  })
  return [...new Set(names)].filter((name) => !name.startsWith('@hookline/')).toSorted()
}
