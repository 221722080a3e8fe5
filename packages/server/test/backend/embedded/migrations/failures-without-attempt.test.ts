import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { addSealing } from '../../../../src/backend/embedded/catalog/seal-catalog.ts'
import { FAILING } from '../../../../src/backend/embedded/deliveries/read-failures.ts'
import { migrate } from '../../../../src/backend/embedded/migrations/migrate.ts'
import { MIGRATIONS } from '../../../../src/backend/embedded/migrations/migrations.ts'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { deliveryId } from '../../../../src/delivery/sending/webhook-request.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { newSecretBox } from '@hookline/testing/engine/new-secret-box'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { migrateWithKey } from '../database/migrate-with-key.ts'

/** A database of schema 16 with a delivery that expired without an attempt, and one that waits for its first. */
function fill(file: string): string {
  using db = new DatabaseSync(file)
  addSealing(db, newSecretBox())
  migrate(db, file, MIGRATIONS.slice(0, 16))
  const insertEvent = db.prepare(
    `INSERT INTO events (id, source_id, message_id, type, received_at, marks, body)
     VALUES (?, 'src_a', ?, 'track', ?, '', ?)`,
  )
  const insert = db.prepare(
    `INSERT INTO deliveries (id, event_id, destination_id, state, rounds, first_due_at, webhooks)
     VALUES (?, ?, 'dst_a', ?, 0, ?, ?)`,
  )
  const add = (state: string): string => {
    const { id, event } = acceptedEvent()
    insertEvent.run(id, event.messageId, NOON, JSON.stringify(event))
    const webhooks = JSON.stringify([{ lane: 1, state, firstDueAt: NOON, dueAt: null }])
    const delivery = deliveryId(id, 'dst_a')
    insert.run(delivery, id, state, NOON, webhooks)
    return delivery
  }
  const expired = add('expired')
  add('pending')
  return expired
}

test('what expired before the step is among the failures after it', async () => {
  using folder = new TemporaryFolder()
  const id = fill(join(folder.path, 'hookline.db'))
  await using backend = await openEmbeddedBackend({
    dataDir: folder.path,
    maxWaitingBytes: 2 ** 20,
  })
  const { groups } = await backend.reports.failures({})
  expect(groups).toMatchObject([{ class: 'not_attempted', count: 1, sampleDeliveryId: id }])
})

test('the index serves the newest failures of a destination, without a sort', () => {
  using db = new DatabaseSync(':memory:')
  migrateWithKey(db, ':memory:')
  const plan = db
    .prepare(
      `EXPLAIN QUERY PLAN SELECT webhooks FROM deliveries
       WHERE ${FAILING} AND destination_id = ? ORDER BY id DESC LIMIT 9`,
    )
    .all('dst_a')
  expect(plan.map(({ detail }) => detail)).toEqual([
    'SEARCH deliveries USING INDEX deliveries_failing (destination_id=?)',
  ])
})
