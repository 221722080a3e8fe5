import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { loadState, newState, saveState } from '../../src/import/import-state.ts'

const STATE = newState({ bytes: 9, startSha256: 'a' }, { url: 'http://h/', writeKeySha256: 'b' })

test('reads the stored progress of an import', async () => {
  using folder = new TemporaryFolder()
  const path = join(folder.path, 'progress.json')
  await saveState(path, { ...STATE, accepted: 5 })
  expect(await loadState(path)).toEqual({ ...STATE, accepted: 5 })
})
