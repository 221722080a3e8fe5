import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { migrate } from '../../../../src/backend/embedded/migrations/migrate.ts'
import { MIGRATIONS } from '../../../../src/backend/embedded/migrations/migrations.ts'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

/** A database of schema 8 with a suppressed user, and an event that has a duplicate and that a destination did not get. */
function fill(file: string): string {
  using db = new DatabaseSync(file)
  migrate(db, file, MIGRATIONS.slice(0, 8))
  const { id, event } = acceptedEvent()
  db.prepare(
    `INSERT INTO events (seq, id, source_id, message_id, type, received_at, marks, duplicates, body)
     VALUES (1, ?, 'src_a', ?, 'track', ?, '', 1, ?)`,
  ).run(id, event.messageId, NOON, JSON.stringify(event))
  db.prepare("INSERT INTO declined VALUES (?, 'dst_a', 'destination_disabled')").run(id)
  db.exec("INSERT INTO suppressions VALUES (1, 'u1', '', 7, 'del_a')")
  return id
}

test('what an earlier version stored has no times', async () => {
  using folder = new TemporaryFolder()
  const id = fill(join(folder.path, 'hookline.db'))
  await using backend = await openEmbeddedBackend({
    dataDir: folder.path,
    maxWaitingBytes: 2 ** 20,
  })
  const event = await backend.events.find(id)
  expect(event).toMatchObject({ duplicates: 1, lastDuplicateAt: null })
  const { data } = await backend.suppressions.find({ kind: 'user', id: 'u1' }, 9)
  expect(data).toMatchObject([{ kind: 'user', id: 'u1', callsLeftOut: 0, lastLeftOutAt: null }])
  expect(event?.declined).toEqual([{ destinationId: 'dst_a', reason: 'destination_disabled' }])
})
