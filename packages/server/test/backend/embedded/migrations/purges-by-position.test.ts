import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { migrate } from '../../../../src/backend/embedded/migrations/migrate.ts'
import { MIGRATIONS } from '../../../../src/backend/embedded/migrations/migrations.ts'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { purgeAll } from '@hookline/testing/engine/purge-all'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const HOUR = 60 * 60 * 1000

interface Row {
  readonly step: 'suppress' | 'purge'
  readonly startedAt: number | null
  readonly suppressedAt?: number | null
}

/** A database of schema 6 with one deletion, and four events of u1 that were received at these times. */
function fill(file: string, { step, startedAt, suppressedAt = null }: Row): void {
  using db = new DatabaseSync(file)
  migrate(db, file, MIGRATIONS.slice(0, 6))
  const insert = db.prepare(
    `INSERT INTO events (id, source_id, message_id, type, received_at, marks, body, user_id)
     VALUES (?, 'src_a', ?, 'track', ?, '', ?, 'u1')`,
  )
  for (const at of [NOON + HOUR, NOON - 1, NOON + 1, NOON + 2]) {
    const { id, event } = acceptedEvent({ at })
    insert.run(id, event.messageId, at, JSON.stringify(event))
  }
  const request = { id: 'del_1', createdAt: NOON, sourceIds: null, suppress: false, users: 1 }
  db.prepare(
    'INSERT INTO deletions (id, step, started_at, suppressed_at, document) VALUES (?, ?, ?, ?, ?)',
  ).run('del_1', step, startedAt, suppressedAt, JSON.stringify(request))
  db.exec("INSERT INTO deletion_users VALUES ('del_1', 'u1')")
}

test.each<[string, Row, number]>([
  [
    'that had begun ends after the last event received before it began',
    { step: 'purge', startedAt: NOON },
    2,
  ],
  [
    'that followed a suppression ends after the last event',
    { step: 'purge', startedAt: NOON - 1, suppressedAt: NOON },
    4,
  ],
  ['that had not begun ends where it begins', { step: 'purge', startedAt: null }, 4],
  ['whose suppression was not done ends where it begins', { step: 'suppress', startedAt: NOON }, 4],
])('a purge from before schema 7 %s', async (_, row, purgedEvents) => {
  using folder = new TemporaryFolder()
  fill(join(folder.path, 'hookline.db'), row)
  const options = { dataDir: folder.path, maxWaitingBytes: 2 ** 20 }
  await using backend = await openEmbeddedBackend(options)
  const { deletions } = backend
  await purgeAll(deletions, { deletionId: 'del_1', userIds: ['u1'], sourceIds: null })
  expect(await deletions.find('del_1')).toMatchObject({ purged: { events: purgedEvents } })
})
