import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MIGRATIONS } from '../../../../server/src/backend/embedded/migrations/migrate.ts'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { errorOf, run } from '@hookline/testing/cli/hookline'

let folder: TemporaryFolder
beforeEach(() => {
  folder = new TemporaryFolder()
})
afterEach(() => folder[Symbol.dispose]())

describe('hookline migrate', () => {
  it('migrates an empty database, and prints the old and the new schema version', async () => {
    const dataDir = join(folder.path, 'migrate')
    const migrate = () => run(['migrate', '--data-dir', dataDir, '--json'])
    mkdirSync(dataDir)
    const none = await migrate()
    expect([none.code, errorOf(none)['code']]).toEqual([1, 'unusable_database'])
    const latest = MIGRATIONS.at(-1)!.version
    {
      using db = new DatabaseSync(join(dataDir, 'hookline.db'))
      db.exec('VACUUM')
    }
    expect(JSON.parse((await migrate()).stdout)).toEqual({ from: 0, to: latest })
    const again = await run(['migrate', '--data-dir', dataDir])
    expect([again.code, again.stdout]).toEqual([0, `The database already has schema ${latest}.\n`])
  })
})
