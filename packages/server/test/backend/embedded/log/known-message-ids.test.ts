import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { KEYS_PER_FILTER } from '../../../../src/backend/embedded/log/bloom-filters.ts'
import { DataDir } from '../../../../src/backend/embedded/database/data-dir.ts'
import { KnownMessageIds } from '../../../../src/backend/embedded/log/known-message-ids.ts'
import { segmentOf } from '../../../../src/backend/store/event-order.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { migrate, MIGRATIONS } from '../../../../src/backend/embedded/migrations/migrate.ts'

const SEGMENTS_PER_FILTER = segmentOf(KEYS_PER_FILTER)
const HOUR = 60 * 60 * 1000
const WINDOW = { dedupeWindowMs: 24 * HOUR }

/** A new database, removed at the end of its scope. */
function openDatabase(): { readonly db: DatabaseSync } & Disposable {
  using stack = new DisposableStack()
  const folder = stack.use(new TemporaryFolder())
  const file = join(folder.path, 'hookline.db')
  const db = stack.use(DataDir.openForWriting(file))
  migrate(db, file, MIGRATIONS)
  const opened = stack.move()
  return { db, [Symbol.dispose]: () => opened.dispose() }
}

/** Appends like the writer, with only the columns that these tests need. */
function append(
  { db, known }: { readonly db: DatabaseSync; readonly known: KnownMessageIds },
  ...events: readonly (readonly [seq: number, messageId: string, receivedAt: number])[]
): void {
  const insert = db.prepare(
    `INSERT INTO events (seq, id, source_id, message_id, type, received_at, warnings, body, rest, checksum)
     VALUES (?, ?, 'src_a', ?, 'track', ?, '', '{}', '{}', 0)`,
  )
  for (const [seq, messageId, receivedAt] of events) {
    insert.run(seq, `evt_${seq}`, messageId, receivedAt)
    known.add(seq, messageId, receivedAt)
  }
}

const keptFilters = (db: DatabaseSync): number[] =>
  db
    .prepare('SELECT number FROM message_id_filters ORDER BY number')
    .all()
    .map(({ number }) => Number(number))

/** The filters that may have the messageId. Each reports all of its segments. */
function filtersWith(known: KnownMessageIds, messageId: string): number[] {
  const segments = known.segmentsWith(messageId)
  const filterOf = (segment: number): number => Math.floor(segment / SEGMENTS_PER_FILTER)
  const filters = [...new Set(segments.map(filterOf))]
  expect(segments).toHaveLength(filters.length * SEGMENTS_PER_FILTER)
  return filters
}

/** Appends two events per hour, the first and the last of one filter. */
function appendHours(to: Parameters<typeof append>[0], from: number, through: number): void {
  for (let hour = from; hour <= through; hour++)
    append(
      to,
      [hour * KEYS_PER_FILTER, `first-${hour}`, NOON + hour * HOUR],
      [(hour + 1) * KEYS_PER_FILTER - 1, `last-${hour}`, NOON + (hour + 1) * HOUR - 1],
    )
}

test('messageIds beyond the window are dropped, but none within it', () => {
  using opened = openDatabase()
  const { db } = opened
  const known = new KnownMessageIds(db, WINDOW)
  for (let hour = 0; hour <= 100; hour++) {
    appendHours({ db, known }, hour, hour)
    for (let past = Math.max(0, hour - 24); past <= hour; past++)
      for (const messageId of [`first-${past}`, `last-${past}`])
        expect(filtersWith(known, messageId)).toContain(past)
  }
  // 32 filters share words in memory.
  for (const index of [0, 31, 63]) expect(filtersWith(known, `last-${index}`)).toEqual([])
  const kept = keptFilters(db)
  expect(kept.at(-1)).toBe(99)
  expect(kept.length).toBeGreaterThanOrEqual(24)
  expect(kept.length).toBeLessThanOrEqual(26)
})

test('startup reads messageIds within the window from stored filters, and from events if a filter is missing', () => {
  using opened = openDatabase()
  const { db } = opened
  appendHours({ db, known: new KnownMessageIds(db, WINDOW) }, 0, 50)
  db.exec(`DELETE FROM events WHERE seq / ${KEYS_PER_FILTER} = 45`)
  db.exec('DELETE FROM message_id_filters WHERE number = 40')
  const known = new KnownMessageIds(db, WINDOW)
  for (let hour = 27; hour <= 50; hour++) expect(filtersWith(known, `last-${hour}`)).toContain(hour)
  expect(keptFilters(db)).toContain(40)
})

test('startup continues if it cannot store a filter, which is stored with the next full one', () => {
  using opened = openDatabase()
  const { db } = opened
  appendHours({ db, known: new KnownMessageIds(db, WINDOW) }, 0, 5)
  db.exec('DELETE FROM message_id_filters')
  db.exec(
    `CREATE TRIGGER full BEFORE INSERT ON message_id_filters BEGIN SELECT RAISE(FAIL, 'full'); END`,
  )
  const known = new KnownMessageIds(db, WINDOW)
  expect(filtersWith(known, 'last-3')).toEqual([3])
  expect([db.isTransaction, keptFilters(db)]).toEqual([false, []])
  db.exec('DROP TRIGGER full')
  appendHours({ db, known }, 6, 6)
  expect(keptFilters(db)).toEqual([0, 1, 2, 3, 4, 5])
})

test('startup with a longer window reads the additional messageIds from events', () => {
  using opened = openDatabase()
  const { db } = opened
  appendHours({ db, known: new KnownMessageIds(db, { dedupeWindowMs: 0 }) }, 0, 80)
  expect(keptFilters(db)).toEqual([79])
  const known = new KnownMessageIds(db, WINDOW)
  for (let hour = 57; hour <= 80; hour++)
    expect(filtersWith(known, `first-${hour}`)).toContain(hour)
  expect(filtersWith(known, 'last-40')).toEqual([])
})

test('with a window of 0 ms, messageIds from the same millisecond are kept', () => {
  using opened = openDatabase()
  const { db } = opened
  const known = new KnownMessageIds(db, { dedupeWindowMs: 0 })
  append({ db, known }, [1, 'before', NOON])
  for (const segment of [40, 80, 120])
    append({ db, known }, [segment * KEYS_PER_FILTER, `in ${segment}`, NOON])
  expect(filtersWith(known, 'before')).toContain(0)
})

test('a filter from a rolled-back transaction is stored with the next full one', () => {
  using opened = openDatabase()
  const { db } = opened
  const known = new KnownMessageIds(db, WINDOW)
  append({ db, known }, [31 * KEYS_PER_FILTER, 'a', NOON])
  db.exec('BEGIN IMMEDIATE')
  append({ db, known }, [32 * KEYS_PER_FILTER - 1, 'b', NOON], [32 * KEYS_PER_FILTER, 'c', NOON])
  db.exec('ROLLBACK')
  // One by one, like the writer after a rollback.
  append({ db, known }, [32 * KEYS_PER_FILTER - 1, 'b', NOON])
  append({ db, known }, [32 * KEYS_PER_FILTER, 'c', NOON])
  expect(keptFilters(db)).toEqual([])
  append({ db, known }, [33 * KEYS_PER_FILTER, 'd', NOON], [64 * KEYS_PER_FILTER, 'e', NOON])
  for (const messageId of ['a', 'b']) expect(filtersWith(known, messageId)).toEqual([31])
  expect(keptFilters(db)).toEqual([31, 32, 33])
  const restarted = new KnownMessageIds(db, WINDOW)
  for (const messageId of ['a', 'b']) expect(filtersWith(restarted, messageId)).toEqual([31])
})

test('if the newest events were removed, their filter gets new events, and its stored bits are dropped', () => {
  using opened = openDatabase()
  const { db } = opened
  append(
    { db, known: new KnownMessageIds(db, WINDOW) },
    [1, 'a', NOON],
    [KEYS_PER_FILTER - 1, 'removed', NOON],
    [KEYS_PER_FILTER, 'also removed', NOON],
  )
  expect(keptFilters(db)).toEqual([0])
  db.exec('DELETE FROM events WHERE seq > 1')
  const known = new KnownMessageIds(db, WINDOW)
  expect(keptFilters(db)).toEqual([])
  append({ db, known }, [2, 'b', NOON])
  db.exec('BEGIN IMMEDIATE')
  append({ db, known }, [KEYS_PER_FILTER, 'c', NOON])
  db.exec('ROLLBACK')
  append({ db, known }, [KEYS_PER_FILTER, 'c', NOON])
  const restarted = new KnownMessageIds(db, WINDOW)
  expect(filtersWith(restarted, 'a')).toEqual([0])
  expect(filtersWith(restarted, 'b')).toEqual([0])
  expect(filtersWith(restarted, 'c')).toEqual([1])
})

test('events with a time years ahead or behind do not cause messageIds within the window to be dropped', () => {
  using opened = openDatabase()
  const { db } = opened
  const known = new KnownMessageIds(db, WINDOW)
  const years = 3 * 365 * 24 * HOUR
  append({ db, known }, [1, 'a', NOON], [KEYS_PER_FILTER, 'b', NOON])
  append({ db, known }, [40 * KEYS_PER_FILTER, 'ahead', NOON + years])
  append({ db, known }, [40 * KEYS_PER_FILTER + 1, 'c', NOON])
  append({ db, known }, [80 * KEYS_PER_FILTER, 'behind', NOON - years])
  append({ db, known }, [120 * KEYS_PER_FILTER, 'd', NOON])
  const expectAll = (ids: KnownMessageIds): void => {
    for (const [messageId, segment] of [
      ['a', 0],
      ['b', 1],
      ['ahead', 40],
      ['c', 40],
      ['d', 120],
    ] as const)
      expect(filtersWith(ids, messageId)).toContain(segment)
  }
  expectAll(known)
  expectAll(new KnownMessageIds(db, WINDOW))
})

test('messageIds appended out of order are kept until the newest is beyond the window', () => {
  using opened = openDatabase()
  const { db } = opened
  append(
    { db, known: new KnownMessageIds(db, WINDOW) },
    [1, 'young', NOON + 30_000],
    [2, 'old', NOON],
    [40 * KEYS_PER_FILTER, 'later', NOON + 24 * HOUR + 20_000],
  )
  db.exec('DELETE FROM message_id_filters')
  const known = new KnownMessageIds(db, WINDOW)
  for (const segment of [80, 120])
    append({ db, known }, [segment * KEYS_PER_FILTER, `in ${segment}`, NOON + 24 * HOUR + 30_000])
  expect(filtersWith(known, 'young')).toContain(0)
})

test('a filter without events since the start is kept like the others', () => {
  using opened = openDatabase()
  const { db } = opened
  append({ db, known: new KnownMessageIds(db, WINDOW) }, [1, 'a', NOON])
  const known = new KnownMessageIds(db, WINDOW)
  for (const segment of [40, 80])
    append({ db, known }, [segment * KEYS_PER_FILTER, `in ${segment}`, NOON + HOUR])
  expect(filtersWith(known, 'a')).toContain(0)
})

test('an empty table can start at any seq', () => {
  using opened = openDatabase()
  const { db } = opened
  const known = new KnownMessageIds(db, WINDOW)
  append({ db, known }, [50 * KEYS_PER_FILTER + 7, 'a', NOON], [51 * KEYS_PER_FILTER, 'b', NOON])
  expect(filtersWith(known, 'a')).toEqual([50])
  expect(keptFilters(db)).toEqual([50])
  db.exec('DELETE FROM events')
  expect(new KnownMessageIds(db, WINDOW).segmentsWith('a')).toEqual([])
  expect(keptFilters(db)).toEqual([])
})
