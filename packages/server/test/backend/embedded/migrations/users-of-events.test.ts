import { newId } from '@hookline/protocol'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { migrate } from '../../../../src/backend/embedded/migrations/migrate.ts'
import { MIGRATIONS } from '../../../../src/backend/embedded/migrations/migrations.ts'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { purgeAll } from '@hookline/testing/engine/purge-all'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

test('events from before schema 3 are purged by their user, too', async () => {
  using folder = new TemporaryFolder()
  const file = join(folder.path, 'hookline.db')
  const alias = { type: 'alias', userId: 'u2', previousId: 'u1' } as const
  const [mine, renamed, other] = [
    acceptedEvent(),
    acceptedEvent(alias),
    acceptedEvent({ userId: 'u2' }),
  ]
  {
    using db = new DatabaseSync(file)
    migrate(db, file, MIGRATIONS.slice(0, 2))
    const insert = db.prepare(
      `INSERT INTO events (id, source_id, message_id, type, received_at, marks, body)
       VALUES (?, 'src_a', ?, 'track', ${NOON}, '', ?)`,
    )
    for (const { id, event } of [mine, renamed, other])
      insert.run(id, event.messageId, JSON.stringify(event))
    insert.run('evt_damaged', 'm', '{"userId": "u1"')
  }
  await using backend = await openEmbeddedBackend({
    dataDir: folder.path,
    maxWaitingBytes: 2 ** 20,
  })
  const deletionId = newId('del', NOON)
  const request = { id: deletionId, createdAt: NOON, sourceIds: null, suppress: false, users: 1 }
  await backend.deletions.create(request, { userIds: ['u1'] })
  const purge = { deletionId, userIds: ['u1'], sourceIds: null }
  await purgeAll(backend.deletions, purge)
  expect(await backend.events.find(mine.id)).toBeUndefined()
  expect(await backend.events.find(renamed.id)).toBeUndefined()
  expect(await backend.events.find(other.id)).toMatchObject({ id: other.id })
})
