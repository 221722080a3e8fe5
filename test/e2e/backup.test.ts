import { createLogger, openService, parseConfig } from '@hookline/server'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesWith } from '../../packages/server/test/harness/bytes-in-folder.ts'
import { TemporaryFolder } from '../../packages/server/test/harness/temporary-folder.ts'

test('a copy that a killed service left behind is gone with the next start, and so is that of a backup', async () => {
  using folder = new TemporaryFolder()
  const leftOver = join(folder.path, 'copy-for-backup')
  mkdirSync(leftOver)
  writeFileSync(join(leftOver, 'hookline.db.partial'), 'PLANTED-VALUE')
  const config = parseConfig({}, { dataDir: folder.path, port: '0', adminToken: 'tok_x' })
  await using service = await openService({ config, logger: createLogger('silent') })
  expect(filesWith(folder.path, 'PLANTED-VALUE')).toEqual([])
  const headers = { Authorization: 'Bearer tok_x' }
  const answer = await fetch(`${service.url}/api/v1/backup`, { headers })
  expect(Buffer.from(await answer.arrayBuffer()).toString('latin1')).toMatch(/^SQLite format 3\0/)
  await expect.poll(() => readdirSync(folder.path)).not.toContain('copy-for-backup')
})
