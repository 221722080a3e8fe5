import type { AcceptedEvent, Event, EventType } from '@hookline/protocol'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { parsed } from '../../../../src/backend/accepted-event.ts'
import type { Backend } from '../../../../src/backend/backend.ts'
import { addSealing } from '../../../../src/backend/embedded/catalog/seal-catalog.ts'
import { DATABASE_NAME, DataDir } from '../../../../src/backend/embedded/database/data-dir.ts'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { migrate } from '../../../../src/backend/embedded/migrations/migrate.ts'
import { MIGRATIONS } from '../../../../src/backend/embedded/migrations/migrations.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { newSecretBox } from '@hookline/testing/engine/new-secret-box'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const CALLS: Readonly<Record<EventType, Partial<Event>>> = {
  track: { integrations: { All: false }, sentAt: '2026-01-15T12:00:00.000Z' },
  identify: { traits: { plan: 'pro' }, anonymousId: 'a1' },
  page: { name: 'Home', category: 'docs' },
  screen: { name: 'Settings' },
  group: { groupId: 'g1', traits: {} },
  alias: { previousId: 'old', anonymousId: 'a2' },
}

const events: readonly AcceptedEvent[] = Object.entries(CALLS).map(([type, fields]) =>
  acceptedEvent({ type: type as EventType, ...fields }),
)
const FIND = { text: 'order completed' }

/** A data folder as schema 17 left it: the body of an event had all of its fields. */
function folderOfVersion17(stored: readonly AcceptedEvent[], damaged?: AcceptedEvent) {
  const folder = new TemporaryFolder()
  const file = join(folder.path, DATABASE_NAME)
  using db = DataDir.openForWriting(file)
  addSealing(db, newSecretBox())
  migrate(db, file, MIGRATIONS.slice(0, 17))
  const insert = db.prepare(
    `INSERT INTO events (seq, id, source_id, message_id, type, received_at, marks, body, user_id, previous_id, checksum)
     VALUES (?, ?, ?, ?, ?, ?, '', ?, ?, ?, ?)`,
  )
  for (const [index, { id, sourceId, event }] of stored.entries()) {
    const body = JSON.stringify(event)
    const checksum = crc32([id, sourceId, '', null, body].join('\n')) + (id === damaged?.id ? 1 : 0)
    const { messageId, type, userId = null, previousId = null } = event
    const ids = [index * 1_000 + 1, id, sourceId, messageId, type, NOON] as const
    insert.run(...ids, body, userId, previousId, checksum)
  }
  return folder
}

const open = ({ path }: TemporaryFolder): Promise<Backend> =>
  openEmbeddedBackend({ dataDir: path, maxWaitingBytes: 1e6 })

async function convertAll({ upkeep }: Backend): Promise<number> {
  let all = 0
  for (;;) {
    const converted = await upkeep.convertOldEvents()
    if (converted === null) return all
    all += converted
  }
}

async function found({ events: archive }: Backend): Promise<readonly (object | undefined)[]> {
  return Promise.all(
    events.map(async ({ id }) => {
      const event = await archive.find(id)
      return event && { body: Buffer.from(event.body).toString(), event: event.event }
    }),
  )
}

test('an event of an earlier version has the same bytes and fields before and after it is converted', async () => {
  using folder = folderOfVersion17(events)
  const expected = events.map((event) => ({
    body: Buffer.from(event.body).toString(),
    event: parsed(event).event,
  }))
  await using backend = await open(folder)
  expect(await found(backend)).toEqual(expected)
  expect((await backend.events.list(FIND, { limit: 9 })).data).toHaveLength(events.length)
  expect(await convertAll(backend)).toBe(events.length)
  expect(await convertAll(backend)).toBe(0)
  expect(await found(backend)).toEqual(expected)
  const anonymous = await backend.events.list({ anonymousId: 'a2' }, { limit: 9 })
  expect(anonymous.data.map(({ event }) => event.type)).toEqual(['alias'])
})

test('the conversion goes on where it was when the process ended', async () => {
  using folder = folderOfVersion17(events)
  {
    await using backend = await open(folder)
    await backend.upkeep.convertOldEvents()
  }
  await using backend = await open(folder)
  await convertAll(backend)
  using db = DataDir.openForReading(join(folder.path, DATABASE_NAME))
  const left = db.prepare('SELECT count(*) AS count FROM events WHERE rest IS NULL').get()
  expect(left).toEqual({ count: 0 })
})

test('an old event that is damaged is still known as damaged after the others are converted', async () => {
  const [first, second] = events
  using folder = folderOfVersion17([first!, second!], second)
  await using backend = await open(folder)
  expect(await convertAll(backend)).toBe(1)
  expect(await backend.events.find(second!.id)).toBeUndefined()
  expect(await backend.events.find(first!.id)).toBeDefined()
})
