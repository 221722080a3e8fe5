import { describe, expect, test } from 'vitest'
import { isDryRun } from '../../release/publishing/is-dry-run.ts'
import { PACKAGES, packageFolder, readManifest, ROOT } from '../../release/packages.ts'
import { refusals, type ReleaseState } from '../../release/publishing/refusals.ts'
import { versionsIn } from '../../release/publishing/state.ts'

const READY: ReleaseState = {
  version: '1.2.3',
  versions: { 'The version of a': '1.2.3', 'The version of b': '1.2.3' },
  changes: '',
  tags: ['v1.2.3'],
  changelog: '# Changelog\n\n## Unreleased\n\n## 1.2.3 (2026-12-01)\n',
}

describe('a release', () => {
  test('is allowed for a tagged commit with one version and a section in the changelog', () => {
    expect(refusals(READY)).toEqual([])
  })

  test.for<[string, Partial<ReleaseState>, string]>([
    ['uncommitted changes', { changes: ' M README.md' }, ' M README.md'],
    ['no tag', { tags: ['', 'v1.2.2'] }, 'no tag v1.2.3'],
    ['no section in the changelog', { changelog: '## 1.2.30\n## 1.2' }, 'no section “## 1.2.3”'],
    ['an unreleased section', { changelog: '## 1.2.3 (unreleased)' }, 'no section “## 1.2.3”'],
    [
      'a package with a different version',
      { versions: { 'The version of b': '1.2.2' } },
      'The version of b is 1.2.2',
    ],
    [
      'a package without a version',
      { versions: { 'The version of b': undefined } },
      'The version of b is missing',
    ],
  ])('is refused with %s', ([, change, words]) => {
    expect(refusals({ ...READY, ...change })).toEqual([expect.stringContaining(words)])
  })

  test('compares the versions of the packages and of their dependencies on each other', () => {
    const versions = versionsIn([
      { name: 'a', version: '1.0.0' },
      { name: 'b', version: '1.0.1', dependencies: { a: '0.9.0', fastify: '5.0.0' } },
    ])
    expect(versions).toEqual({
      'The version of a': '1.0.0',
      'The version of b': '1.0.1',
      'The version of a that b needs': '0.9.0',
    })
  })

  test('finds a single version in all packages of this repository', () => {
    const versions = versionsIn(PACKAGES.map((name) => readManifest(packageFolder(name))))
    expect(Object.keys(versions)).toHaveLength(9)
    expect(new Set(Object.values(versions))).toEqual(new Set([readManifest(ROOT).version]))
  })

  test('is a dry run with --dry-run, even if npm consumes the flag', () => {
    expect(isDryRun(['--dry-run'], {})).toBe(true)
    expect(isDryRun([], { npm_config_dry_run: 'true' })).toBe(true)
    expect(isDryRun([], {})).toBe(false)
  })

  test('does not start with an unknown argument', () => {
    expect(() => isDryRun(['--dryrun'], {})).toThrow('Unknown arguments: --dryrun')
  })
})

test('packages come after their dependencies', () => {
  const order = PACKAGES.map((name) => `@hookline/${name}`)
  for (const [index, name] of PACKAGES.entries()) {
    const needed = Object.keys(readManifest(packageFolder(name)).dependencies ?? {})
    const later = needed.filter(
      (each) => order.indexOf(each) >= index && each.startsWith('@hookline/'),
    )
    expect(later, name).toEqual([])
  }
})
