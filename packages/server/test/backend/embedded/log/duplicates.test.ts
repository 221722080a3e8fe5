import { KEYS_PER_FILTER } from '../../../../src/backend/embedded/log/bloom-filters.ts'
import type { AcceptedEvent } from '@hookline/protocol'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Backend } from '../../../../src/backend/backend.ts'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const DAY_MS = 24 * 60 * 60 * 1000

const open = (folder: TemporaryFolder): Promise<Backend> =>
  openEmbeddedBackend({ dataDir: folder.path, maxWaitingBytes: 2 ** 26 })

/** Changes the database of a stopped backend. */
function stopped<T>(folder: TemporaryFolder, act: (db: DatabaseSync) => T): T {
  using db = new DatabaseSync(join(folder.path, 'hookline.db'))
  return act(db)
}

const keptSegments = (db: DatabaseSync): unknown[] =>
  db
    .prepare('SELECT number FROM message_id_filters ORDER BY number')
    .all()
    .map(({ number }) => number)

/** Appends an event with this messageId. The archive does not store duplicates. */
async function isDuplicate(
  { log, events }: Backend,
  messageId: string,
  at: number = NOON,
): Promise<boolean> {
  const event = acceptedEvent({ messageId, at })
  await log.append([event])
  return (await events.find(event.id)) === undefined
}

const many = (count: number, at: number = NOON): AcceptedEvent[] =>
  Array.from({ length: count }, () => acceptedEvent({ at }))

test('a duplicate is found in an older filter, before and after a restart, and if the filter was not stored', async () => {
  using folder = new TemporaryFolder()
  {
    await using backend = await open(folder)
    expect(await isDuplicate(backend, 'm')).toBe(false)
    expect(await isDuplicate(backend, 'half \uD800 of a pair')).toBe(false)
    await backend.log.append(many(2 * KEYS_PER_FILTER))
    expect(await isDuplicate(backend, 'm')).toBe(true)
  }
  expect(stopped(folder, keptSegments)).toEqual([0, 1])
  {
    await using backend = await open(folder)
    expect(await isDuplicate(backend, 'm')).toBe(true)
    expect(await isDuplicate(backend, 'half \uD800 of a pair')).toBe(true)
  }
  stopped(folder, (db) => db.exec('DELETE FROM message_id_filters WHERE number = 0'))
  await using backend = await open(folder)
  expect(await isDuplicate(backend, 'm')).toBe(true)
  expect(await isDuplicate(backend, 'half \uD800 of a pair')).toBe(true)
  expect(await isDuplicate(backend, 'm', NOON + DAY_MS)).toBe(true)
  expect(await isDuplicate(backend, 'm', NOON + DAY_MS + 1)).toBe(false)
  expect(await isDuplicate(backend, 'm', NOON + DAY_MS + 2)).toBe(true)
})

test('a duplicate is added to the count of the first event within the window, in any filter', async () => {
  using folder = new TemporaryFolder()
  await using backend = await open(folder)
  const [old, first] = [0, 1].map((day) =>
    acceptedEvent({ messageId: 'm', at: NOON + day * (DAY_MS + 1) }),
  )
  await backend.log.append([old!])
  await backend.log.append([...many(KEYS_PER_FILTER, NOON + DAY_MS), first!])
  const elsewhere = acceptedEvent({ messageId: 'm', sourceId: 'src_b', at: NOON + DAY_MS + 1 })
  await backend.log.append([...many(KEYS_PER_FILTER, NOON + DAY_MS + 1), elsewhere])
  expect(await isDuplicate(backend, 'm', NOON + DAY_MS + 2)).toBe(true)
  expect(await backend.events.find(old!.id)).toMatchObject({ duplicates: 0 })
  expect(await backend.events.find(first!.id)).toMatchObject({ duplicates: 1 })
  expect(await backend.events.find(elsewhere.id)).toMatchObject({ duplicates: 0 })
})

test('a filter that gets new events because its newest ones were removed has both old and new messageIds', async () => {
  using folder = new TemporaryFolder()
  {
    await using backend = await open(folder)
    expect(await isDuplicate(backend, 'old')).toBe(false)
    await backend.log.append(many(KEYS_PER_FILTER))
  }
  stopped(folder, (db) => db.exec(`DELETE FROM events WHERE seq > ${KEYS_PER_FILTER / 2}`))
  {
    await using backend = await open(folder)
    expect(await isDuplicate(backend, 'old')).toBe(true)
    expect(await isDuplicate(backend, 'new')).toBe(false)
    await backend.log.append(many(KEYS_PER_FILTER))
  }
  expect(stopped(folder, keptSegments)).toEqual([0])
  await using backend = await open(folder)
  expect(await isDuplicate(backend, 'old')).toBe(true)
  expect(await isDuplicate(backend, 'new')).toBe(true)
})

test('a failing append does not lose the messageIds of other appends in its transaction', async () => {
  using folder = new TemporaryFolder()
  {
    await using backend = await open(folder)
    const event = acceptedEvent({ messageId: 'a' })
    await backend.log.append([event, ...many(KEYS_PER_FILTER - 5)])
    // All share one transaction, in which a new filter begins. The existing event makes it fail.
    const appended = await Promise.allSettled([
      backend.log.append([acceptedEvent({ messageId: 'b' }), ...many(2)]),
      backend.log.append([acceptedEvent({ messageId: 'c' }), ...many(2)]),
      backend.log.append([acceptedEvent({ messageId: 'd' }), event]),
      backend.log.append([acceptedEvent({ messageId: 'e' })]),
    ])
    expect(appended.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
    for (const messageId of ['a', 'b', 'c', 'e'])
      expect(await isDuplicate(backend, messageId)).toBe(true)
    expect(await isDuplicate(backend, 'd')).toBe(false)
  }
  await using backend = await open(folder)
  for (const messageId of ['a', 'b', 'c', 'd', 'e'])
    expect(await isDuplicate(backend, messageId)).toBe(true)
})
