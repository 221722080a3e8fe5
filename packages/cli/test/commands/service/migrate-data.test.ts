import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { errorOf, run } from '@hookline/testing/cli/hookline'

const CLUSTER = {
  HOOKLINE_DATABASE_URL: 'postgres://hookline:secret@127.0.0.1:1/hookline',
  HOOKLINE_NATS_URL: 'nats://127.0.0.1:1',
  HOOKLINE_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
}

describe('hookline migrate-data', () => {
  it('reports missing cluster settings, and an unusable database', async () => {
    using folder = new TemporaryFolder()
    const dataDir = join(folder.path, 'data')
    const migrateData = (env = {}) =>
      run(['migrate-data', '--data-dir', dataDir, '--json'], { env })
    expect(errorOf(await migrateData())).toMatchObject({
      code: 'backend_not_configured',
      message: expect.stringContaining('HOOKLINE_DATABASE_URL') as unknown,
      exitCode: 1,
    })
    const none = await migrateData(CLUSTER)
    expect(errorOf(none)).toMatchObject({ code: 'unusable_database', exitCode: 1 })
    expect(none.stderr).not.toContain('secret')
  })

  it('shows its description and every setting in its help', async () => {
    const { stdout, code } = await run(['migrate-data', '--help'])
    expect(code).toBe(0)
    for (const text of ['into a cluster', '--data-dir', '--database-url', '--nats-url'])
      expect(stdout).toContain(text)
  })
})
