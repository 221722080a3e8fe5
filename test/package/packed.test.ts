import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { TemporaryFolder } from '../../packages/server/test/harness/temporary-folder.ts'
import { buildClient, faultsOf, pack, workspace } from './packed-package.ts'

describe('the tarball that publishing would upload', () => {
  beforeAll(buildClient)

  test.for(['client', 'protocol'] as const)('of %s passes publint and attw', async (name) => {
    using folder = new TemporaryFolder()
    expect(await faultsOf(await pack(workspace(name), folder.path))).toEqual([])
  })

  test('of a package with a missing file fails both checks', async () => {
    using folder = new TemporaryFolder()
    const copy = join(folder.path, 'copy')
    cpSync(workspace('client'), copy, { recursive: true })
    const manifest = readFileSync(join(copy, 'package.json'), 'utf8')
    writeFileSync(join(copy, 'package.json'), manifest.replaceAll('dist/verify', 'dist/missing'))
    const faults = await faultsOf(await pack(copy, folder.path))
    expect(faults).toEqual([
      expect.stringContaining('dist/missing.js but the file does not exist'),
      expect.stringContaining('Resolution failed'),
    ])
  })
})
