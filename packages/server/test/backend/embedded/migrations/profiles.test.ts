import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { addSealing } from '../../../../src/backend/embedded/catalog/seal-catalog.ts'
import { migrate } from '../../../../src/backend/embedded/migrations/migrate.ts'
import { MIGRATIONS } from '../../../../src/backend/embedded/migrations/migrations.ts'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { newSecretBox } from '@hookline/testing/engine/new-secret-box'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { changeOf } from '../../conformance/profiles/profile-changes.ts'

test('a database from before schema 14 keeps no profiles, until they begin at its oldest event', async () => {
  using folder = new TemporaryFolder()
  const file = join(folder.path, 'hookline.db')
  const { id, event } = acceptedEvent()
  {
    using db = new DatabaseSync(file)
    addSealing(db, newSecretBox())
    migrate(db, file, MIGRATIONS.slice(0, 13))
    db.prepare(
      `INSERT INTO events (seq, id, source_id, message_id, type, received_at, marks, body, user_id)
       VALUES (5, ?, 'src_a', ?, 'track', ?, '', ?, 'u1')`,
    ).run(id, event.messageId, NOON, JSON.stringify(event))
  }
  await using backend = await openEmbeddedBackend({
    dataDir: folder.path,
    maxWaitingBytes: 2 ** 20,
  })
  const { profiles, followedLog, memberships, syncs, facts } = backend
  expect(await profiles.state()).toEqual({ through: null, purges: 0 })
  expect([await facts.clauses(), await syncs.open(), [...(await memberships.sizes())]]).toEqual([
    [],
    [],
    [],
  ])
  await profiles.begin()
  const { through: after } = await profiles.state()
  const { events, through } = await followedLog.read({ after: after!, limit: 9 })
  expect(events.map((each) => each.event.id)).toEqual([id])
  const slice = { through, changes: [changeOf(5, { type: 'track' })], purges: 0, at: NOON }
  expect(await profiles.apply({ ...slice, after: after! })).toBe(true)
  expect(await profiles.find('default', 'u1')).toMatchObject({ counts: { track: 1 } })
})
