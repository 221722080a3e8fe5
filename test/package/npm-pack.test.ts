import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { run } from '../../release/command.ts'
import { makeClone } from '@hookline/testing/pages/clone'

const clone = new TemporaryFolder()
beforeAll(() => makeClone(clone.path))
afterAll(() => clone[Symbol.dispose]())
const inClone = (path: string) => join(clone.path, path)

describe('npm run pack with a name', () => {
  const pack = (...names: string[]) => run('npm', ['run', 'pack', ...names], { cwd: clone.path })

  test('makes the tarballs of that package and its dependencies, and keeps other tarballs', async () => {
    mkdirSync(inClone('tarballs'))
    writeFileSync(inClone('tarballs/server.tgz'), 'an earlier one')
    const { stdout } = await pack('client')
    expect(stdout).toMatch(/npm install \S+\/protocol\.tgz \S+\/client\.tgz\n/)
    expect(readdirSync(inClone('tarballs')).toSorted()).toEqual([
      'client.tgz',
      'protocol.tgz',
      'server.tgz',
    ])
    expect(readFileSync(inClone('tarballs/server.tgz'), 'utf8')).toBe('an earlier one')
  })

  test.for(['testing', '@hookline/client'])('refuses %s, and lists the names', async (name) => {
    await expect(pack(name)).rejects.toThrow(
      `error: No published package has the name "${name}". Use protocol, client, server or cli.\n`,
    )
  })
})

describe('npm pack of a package', () => {
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

  test('excludes the output of source files that have been removed since an earlier build', async () => {
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
