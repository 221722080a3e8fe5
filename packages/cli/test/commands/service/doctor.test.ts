import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TemporaryFolder } from '../../../../server/test/harness/temporary-folder.ts'
import { run } from '../../harness/hookline.ts'

let folder: TemporaryFolder
beforeEach(() => {
  folder = new TemporaryFolder()
})
afterEach(() => folder[Symbol.dispose]())

describe('hookline doctor', () => {
  it('exits 0 if every check passes, and 8 if one fails', async () => {
    const dataDir = join(folder.path, 'doctor')
    const flags = ['--data-dir', dataDir, '--port', '0']
    const healthy = await run(['doctor', ...flags, '--json'])
    expect(healthy.stderr).toBe('')
    expect([healthy.code, JSON.parse(healthy.stdout)]).toMatchObject([0, { healthy: true }])
    writeFileSync(join(dataDir, 'hookline.db'), 'this is not a database, although its name says so')
    const damaged = await run(['doctor', ...flags])
    expect(damaged.code).toBe(8)
    expect(damaged.stdout).toMatch(/^✗ database/m)
    expect(damaged.stderr).toContain('Failed checks: database.')
  })
})
