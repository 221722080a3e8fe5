import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Backend } from '../../../../src/backend/backend.ts'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { deliveryOf, LANE, recordDelivery } from '../../conformance/deliveries/recorded-delivery.ts'

const OTHERS = 3

async function openAt(dataDir: string): Promise<{ backend: Backend; reported: readonly string[] }> {
  const reported: string[] = []
  const onCorruption = (description: string): void => void reported.push(description)
  const backend = await openEmbeddedBackend({ dataDir, maxWaitingBytes: 2 ** 30, onCorruption })
  return { backend, reported }
}

/**
 * Makes a stopped database with held deliveries, and corrupts one of them. Returns the id of that
 * delivery.
 */
async function makeCorrupted(
  dataDir: string,
  change: readonly [from: string, to: string],
): Promise<string> {
  const event = acceptedEvent()
  {
    await using backend = (await openAt(dataDir)).backend
    for (let n = 0; n < OTHERS; n++) await recordDelivery({ backend }, { state: 'held' })
    await recordDelivery({ backend }, { state: 'held' }, event)
  }
  const file = join(dataDir, 'hookline.db')
  const bytes = readFileSync(file)
  // The row starts with these adjacent columns.
  const { id } = deliveryOf(event)
  const row = bytes.indexOf(`${id}${event.id}`) + id.length
  expect(row, 'the row of the delivery').toBeGreaterThanOrEqual(id.length)
  const [from, to] = change.map((text) => text.replace('EVENT', event.id))
  const at = bytes.indexOf(from!, row)
  expect(at - row, 'a place in the row').toBeLessThan(200)
  bytes.write(to!, at)
  writeFileSync(file, bytes)
  return id
}

test.each<[string, readonly [from: string, to: string]]>([
  ['that names another event', ['EVENT', 'evt_~']],
  ['that names another destination', ['dst_a', 'dst_c']],
  ['whose part has an unknown state', ['"state":"held"', '"state":"hemd"']],
  ['whose part has ended', ['"state":"held","', '"state":"held"}']],
  ['whose part is in another lane', ['"lane":1', '"lane":3']],
])('a held delivery %s is found at startup, reported and quarantined', async (_, change) => {
  using folder = new TemporaryFolder()
  const id = await makeCorrupted(folder.path, change)
  {
    const { backend, reported } = await openAt(folder.path)
    await using open = backend
    expect(reported).toEqual(['Pending deliveries were corrupted and have been quarantined: 1.'])
    const found = await open.deliveries.find(id)
    expect(found).toMatchObject({
      state: 'quarantined',
      quarantine: { reason: expect.any(String) },
    })
    const held = await open.deliveries.claim(LANE, { due: 'held', limit: 9 })
    expect([held.deliveries.length, held.unreadable]).toEqual([OTHERS, []])
  }
  const { backend, reported } = await openAt(folder.path)
  await using _again = backend
  expect(reported).toEqual([])
})

test.each([
  ['names another destination', `UPDATE deliveries SET destination_id = 'dst_c'`],
  ['is marked as not waiting', `UPDATE deliveries SET is_waiting = 0, webhooks = '[]'`],
])('a row that %s is not handed out at runtime, or after its quarantine', async (_, sql) => {
  using folder = new TemporaryFolder()
  const { backend } = await openAt(folder.path)
  await using open = backend
  const { id } = await recordDelivery({ backend: open })
  {
    using db = new DatabaseSync(join(folder.path, 'hookline.db'))
    db.exec(`DROP TRIGGER deliveries_change_waiting; ${sql}`)
  }
  const due = { due: NOON, limit: 9 }
  const { deliveries, unreadable } = await open.deliveries.claim(LANE, due)
  expect([deliveries, unreadable]).toEqual([[], [{ id, reason: expect.any(String) }]])
  await open.quarantine.add(unreadable.map((each) => ({ ...each, at: NOON })))
  expect(await open.deliveries.claim(LANE, due)).toEqual({ deliveries: [], unreadable: [] })
  expect(await open.deliveries.waiting()).toEqual({ lanes: [], isUnsplit: false })
})

test('corrupted deliveries are found in every slice of a long queue and counted once', async () => {
  using folder = new TemporaryFolder()
  {
    const { backend } = await openAt(folder.path)
    await using open = backend
    const events = Array.from({ length: 2_500 }, () => acceptedEvent())
    await open.log.append(events)
    const records = events.map((event) => ({
      delivery: deliveryOf(event, { state: 'held' }),
      attempts: [],
    }))
    await open.deliveries.record(records)
  }
  {
    using db = new DatabaseSync(join(folder.path, 'hookline.db'))
    const nth = 'SELECT row_number() OVER (ORDER BY id) AS n, id FROM deliveries'
    db.exec(`UPDATE deliveries SET destination_id = 'dst_c'
      WHERE id IN (SELECT id FROM (${nth}) WHERE n % 500 = 1)`)
  }
  const { backend, reported } = await openAt(folder.path)
  await using open = backend
  expect(reported).toEqual(['Pending deliveries were corrupted and have been quarantined: 5.'])
  expect((await open.upkeep.backlog()).quarantined).toBe(5)
})
