import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesWith } from '@hookline/testing/files/bytes-in-folder'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import {
  outcomeOf,
  PLANTED,
  prepareDeletion,
  runDeletion,
} from '@hookline/testing/deletions/deletion-backend'

test('a deletion whose process is killed at any step has the same result, with each notice once under the same id', async () => {
  using folder = new TemporaryFolder()
  const prepared = join(folder.path, 'prepared')
  const userIds = Array.from({ length: 250 }, (_, index) => `user-${index}`)
  const id = await prepareDeletion({ dataDir: prepared }, userIds)

  const whole = { dataDir: join(folder.path, 'whole') }
  cpSync(prepared, whole.dataDir, { recursive: true })
  expect(await runDeletion(whole, 0)).toBe(0)
  const expected = await outcomeOf(whole, id)
  expect(expected).toMatchObject({ step: 'done', left: ['stranger'], isSuppressed: true })

  let kills = 0
  for (let killAt = 1; ; killAt++) {
    const dataDir = join(folder.path, `killed-${killAt}`)
    cpSync(prepared, dataDir, { recursive: true })
    const code = await runDeletion({ dataDir }, killAt)
    if (code === 0) break
    kills++
    expect(await runDeletion({ dataDir }, 0)).toBe(0)
    expect(await outcomeOf({ dataDir }, id), `killed at ${killAt}`).toEqual(expected)
    expect(filesWith(dataDir, PLANTED), `killed at ${killAt}`).toEqual([])
  }
  // Each write has a kill before it and one after it. The writes: the start; for each of three steps,
  // two slices of users and the end; and the erasure. A purge takes more slices on a slow machine.
  expect(kills).toBeGreaterThanOrEqual(2 * (1 + 3 * 3 + 1))
})
