import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { migrate } from '../../../../src/backend/embedded/migrations/migrate.ts'
import { MIGRATIONS } from '../../../../src/backend/embedded/migrations/migrations.ts'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { SEGMENT_EVENTS } from '../../../../src/backend/embedded/log/segments.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const DAY_MS = 24 * 60 * 60 * 1000

test('events from before schema 6 are found by messageId and user, and make later ones duplicates', async () => {
  using folder = new TemporaryFolder()
  const file = join(folder.path, 'hookline.db')
  const places = [1, SEGMENT_EVENTS - 1, SEGMENT_EVENTS, 5 * SEGMENT_EVENTS + 7]
  const kept = places.map((seq) => acceptedEvent({ messageId: `m-${seq}` }))
  {
    using db = new DatabaseSync(file)
    migrate(db, file, MIGRATIONS.slice(0, 5))
    const insert = db.prepare(
      `INSERT INTO events (seq, id, source_id, message_id, type, received_at, marks, body, user_id)
       VALUES (?, ?, 'src_a', ?, 'track', ?, '', ?, 'u1')`,
    )
    for (const [index, { id, event }] of kept.entries())
      insert.run(places[index]!, id, event.messageId, NOON, JSON.stringify(event))
  }
  await using backend = await openEmbeddedBackend({
    dataDir: folder.path,
    maxWaitingBytes: 2 ** 20,
  })
  const ids = kept.map(({ id }) => id)
  const found = await backend.events.list({ userId: 'u1' }, { limit: 9 })
  expect(found.data.map(({ id }) => id)).toEqual(ids.toReversed())
  for (const { id, event } of kept) {
    const { messageId } = event
    expect(await backend.events.list({ messageId }, { limit: 9 })).toMatchObject({ data: [{ id }] })
    await backend.log.append([acceptedEvent({ messageId, at: NOON + DAY_MS })])
    expect(await backend.events.find(id)).toMatchObject({ duplicates: 1 })
  }
  // Each database has its own seed of the hash.
  using db = new DatabaseSync(file, { readOnly: true })
  expect(db.prepare('SELECT hash_seed FROM log_position').get()).not.toEqual({ hash_seed: 0 })
  expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
})
