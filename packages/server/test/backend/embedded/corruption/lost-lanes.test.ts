import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Backend } from '../../../../src/backend/backend.ts'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { rebuildInto } from '../../../../src/backend/embedded/stopped/rebuild-database.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import {
  attemptOf,
  idsOf,
  LANE,
  OTHER_LANE,
  partOf,
  recordDelivery,
} from '../../conformance/deliveries/recorded-delivery.ts'

/** Overwrites the table with the URLs of lanes. */
function corruptLanes(file: string): void {
  let page: number
  {
    using db = new DatabaseSync(file, { readOnly: true })
    page = Number(db.prepare(`SELECT pageno FROM dbstat WHERE name = 'lanes'`).get()!['pageno'])
  }
  const handle = openSync(file, 'r+')
  writeSync(handle, Buffer.alloc(4096), 0, 4096, (page - 1) * 4096)
  closeSync(handle)
}

test('if the URLs of webhooks are lost, waiting deliveries get new parts, and none is sent to another webhook', async () => {
  using folder = new TemporaryFolder()
  const open = (): Promise<Backend> =>
    openEmbeddedBackend({ dataDir: folder.path, maxWaitingBytes: 2 ** 30 })
  let waiting: string
  let ended: string
  {
    await using backend = await open()
    waiting = (await recordDelivery({ backend })).id
    const delivery = await recordDelivery({ backend }, { state: 'rejected', dueAt: null })
    await backend.deliveries.record([{ delivery, attempts: [attemptOf()] }])
    ended = delivery.id
  }
  corruptLanes(join(folder.path, 'hookline.db'))
  await rebuildInto(folder.path)
  await using backend = await open()
  const other = await recordDelivery(
    { backend },
    { webhooks: [partOf({ url: OTHER_LANE.url })] },
    acceptedEvent({ userId: 'u2' }),
  )
  const claim = (lane: typeof LANE) => backend.deliveries.claim(lane, { due: NOON, limit: 9 })
  expect(idsOf(await claim(OTHER_LANE))).toEqual([other.id])
  expect(idsOf(await claim(LANE))).toEqual([])
  const unsplit = await backend.deliveries.claimUnsplit(9)
  expect(unsplit.deliveries).toMatchObject([{ delivery: { id: waiting, webhooks: [] } }])
  const history = await backend.deliveries.find(ended)
  expect(history!.webhooks.map(({ url }) => url)).toEqual([''])
  expect(history!.attempts.map(({ url }) => url)).toEqual([''])
})
