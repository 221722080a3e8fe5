import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { run } from '../../release/command.ts'
import { makeClone } from '@hookline/testing/pages/clone'

describe('npm pack of a package', () => {
  const clone = new TemporaryFolder()
  beforeAll(() => makeClone(clone.path))
  afterAll(() => clone[Symbol.dispose]())
  const inClone = (path: string) => join(clone.path, path)

  test('builds a fresh clone first', async () => {
    expect(await entriesOf('client')).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'dist/index.js', 'dist/index.d.ts']),
    )
  })

  test('rebuilds if the output was removed but the build info remains', async () => {
    for (const name of ['client', 'protocol'])
      rmSync(inClone(`packages/${name}/dist`), { recursive: true })
    expect(await entriesOf('client')).toContain('dist/index.js')
  })

  test('excludes the output of source files that were removed since an earlier build', async () => {
    mkdirSync(inClone('packages/protocol/dist'), { recursive: true })
    writeFileSync(inClone('packages/protocol/dist/gone.js'), '')
    expect(await entriesOf('protocol')).not.toContain('dist/gone.js')
  })

  async function entriesOf(name: string): Promise<string[]> {
    using folder = new TemporaryFolder()
    const args = ['pack', '-w', `packages/${name}`, '--pack-destination', folder.path]
    const { stdout } = await run('npm', args, { cwd: clone.path })
    const listing = await run('tar', ['-tzf', stdout.trim().split('\n').at(-1)!], {
      cwd: folder.path,
    })
    return listing.stdout
      .trim()
      .split('\n')
      .map((entry) => entry.replace(/^package\//, ''))
  }
})
