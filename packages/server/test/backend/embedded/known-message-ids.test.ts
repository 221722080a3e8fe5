import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { DataDir } from '../../../src/backend/embedded/data-dir.ts'
import { KnownMessageIds } from '../../../src/backend/embedded/known-message-ids.ts'
import { migrate } from '../../../src/backend/embedded/migrate.ts'
import { MIGRATIONS } from '../../../src/backend/embedded/migrations.ts'
import { firstSeqOf, SEGMENT_EVENTS } from '../../../src/backend/embedded/segments.ts'
import { NOON } from '../../harness/accepted-event.ts'
import { TemporaryFolder } from '../../harness/temporary-folder.ts'

const HOUR = 60 * 60 * 1000
const WINDOW = { dedupeWindowMs: 24 * HOUR }

/** A database of its own, gone with its scope. */
function openDatabase(): { readonly db: DatabaseSync } & Disposable {
  using stack = new DisposableStack()
  const folder = stack.use(new TemporaryFolder())
  const file = join(folder.path, 'hookline.db')
  const db = stack.use(DataDir.openForWriting(file))
  migrate(db, file, MIGRATIONS)
  const opened = stack.move()
  return { db, [Symbol.dispose]: () => opened.dispose() }
}

/** Appends as the writer does, but for the columns that are not asked for here. */
function append(
  { db, known }: { readonly db: DatabaseSync; readonly known: KnownMessageIds },
  ...events: readonly (readonly [seq: number, messageId: string, receivedAt: number])[]
): void {
  const insert = db.prepare(
    `INSERT INTO events (seq, id, source_id, message_id, type, received_at, marks, body)
     VALUES (?, ?, 'src_a', ?, 'track', ?, '', '{}')`,
  )
  for (const [seq, messageId, receivedAt] of events) {
    insert.run(seq, `evt_${seq}`, messageId, receivedAt)
    known.add(seq, messageId, receivedAt)
  }
}

const keptSegments = (db: DatabaseSync): number[] =>
  db
    .prepare('SELECT segment FROM message_id_filters ORDER BY segment')
    .all()
    .map(({ segment }) => Number(segment))

/** A segment each hour, of two events, the first and the last. */
function appendHours(to: Parameters<typeof append>[0], from: number, through: number): void {
  for (let hour = from; hour <= through; hour++)
    append(
      to,
      [firstSeqOf(hour), `first-${hour}`, NOON + hour * HOUR],
      [firstSeqOf(hour + 1) - 1, `last-${hour}`, NOON + (hour + 1) * HOUR - 1],
    )
}

test('what is beyond the window is forgotten, and what is within it never', () => {
  using opened = openDatabase()
  const { db } = opened
  const known = new KnownMessageIds(db, WINDOW)
  for (let hour = 0; hour <= 100; hour++) {
    appendHours({ db, known }, hour, hour)
    for (let past = Math.max(0, hour - 24); past <= hour; past++)
      for (const messageId of [`first-${past}`, `last-${past}`])
        expect(known.segmentsWith(messageId)).toContain(past)
  }
  // 32 of them lie together in memory.
  for (const gone of [0, 31, 63]) expect(known.segmentsWith(`last-${gone}`)).toEqual([])
  const kept = keptSegments(db)
  expect(kept.at(-1)).toBe(99)
  expect(kept.length).toBeGreaterThanOrEqual(24)
  expect(kept.length).toBeLessThanOrEqual(26)
})

test('a start knows what is within the window by the kept filters, and by the events where one is missing', () => {
  using opened = openDatabase()
  const { db } = opened
  appendHours({ db, known: new KnownMessageIds(db, WINDOW) }, 0, 50)
  db.exec('DELETE FROM events WHERE seq >> 13 = 45')
  db.exec('DELETE FROM message_id_filters WHERE segment = 40')
  const known = new KnownMessageIds(db, WINDOW)
  for (let hour = 27; hour <= 50; hour++) expect(known.segmentsWith(`last-${hour}`)).toContain(hour)
  expect(keptSegments(db)).not.toContain(40)
  appendHours({ db, known }, 51, 51)
  expect(keptSegments(db)).toContain(40)
})

test('a start with a longer window knows what is in it from the events', () => {
  using opened = openDatabase()
  const { db } = opened
  appendHours({ db, known: new KnownMessageIds(db, { dedupeWindowMs: 0 }) }, 0, 80)
  expect(keptSegments(db)).toEqual([79])
  const known = new KnownMessageIds(db, WINDOW)
  for (let hour = 57; hour <= 80; hour++)
    expect(known.segmentsWith(`first-${hour}`)).toContain(hour)
  expect(known.segmentsWith('last-40')).toEqual([])
})

test('with a window of nothing, the same moment is still known', () => {
  using opened = openDatabase()
  const { db } = opened
  const known = new KnownMessageIds(db, { dedupeWindowMs: 0 })
  append({ db, known }, [1, 'before', NOON])
  for (const segment of [40, 80, 120])
    append({ db, known }, [segment * SEGMENT_EVENTS, `in ${segment}`, NOON])
  expect(known.segmentsWith('before')).toContain(0)
})

test('a segment begun in a transaction that was rolled back is kept with the next one', () => {
  using opened = openDatabase()
  const { db } = opened
  const known = new KnownMessageIds(db, WINDOW)
  append({ db, known }, [31 * SEGMENT_EVENTS, 'a', NOON])
  db.exec('BEGIN IMMEDIATE')
  append({ db, known }, [32 * SEGMENT_EVENTS - 1, 'b', NOON], [32 * SEGMENT_EVENTS, 'c', NOON])
  db.exec('ROLLBACK')
  // One by one, as the writer does it then.
  append({ db, known }, [32 * SEGMENT_EVENTS - 1, 'b', NOON])
  append({ db, known }, [32 * SEGMENT_EVENTS, 'c', NOON])
  expect(keptSegments(db)).toEqual([])
  append({ db, known }, [33 * SEGMENT_EVENTS, 'd', NOON], [64 * SEGMENT_EVENTS, 'e', NOON])
  for (const messageId of ['a', 'b']) expect(known.segmentsWith(messageId)).toEqual([31])
  expect(keptSegments(db)).toEqual([31, 32, 33])
  const restarted = new KnownMessageIds(db, WINDOW)
  for (const messageId of ['a', 'b']) expect(restarted.segmentsWith(messageId)).toEqual([31])
})

test('where the newest events were removed, the segment goes on, and what was kept of it counts no more', () => {
  using opened = openDatabase()
  const { db } = opened
  append(
    { db, known: new KnownMessageIds(db, WINDOW) },
    [1, 'a', NOON],
    [SEGMENT_EVENTS - 1, 'removed', NOON],
    [SEGMENT_EVENTS, 'removed, too', NOON],
  )
  expect(keptSegments(db)).toEqual([0])
  db.exec('DELETE FROM events WHERE seq > 1')
  const known = new KnownMessageIds(db, WINDOW)
  expect(keptSegments(db)).toEqual([])
  append({ db, known }, [2, 'b', NOON])
  db.exec('BEGIN IMMEDIATE')
  append({ db, known }, [SEGMENT_EVENTS, 'c', NOON])
  db.exec('ROLLBACK')
  append({ db, known }, [SEGMENT_EVENTS, 'c', NOON])
  const restarted = new KnownMessageIds(db, WINDOW)
  expect(restarted.segmentsWith('a')).toEqual([0])
  expect(restarted.segmentsWith('b')).toEqual([0])
  expect(restarted.segmentsWith('c')).toEqual([1])
})

test('a clock that is years ahead or behind for some events makes nothing forgotten', () => {
  using opened = openDatabase()
  const { db } = opened
  const known = new KnownMessageIds(db, WINDOW)
  const years = 3 * 365 * 24 * HOUR
  append({ db, known }, [1, 'a', NOON], [SEGMENT_EVENTS, 'b', NOON])
  append({ db, known }, [40 * SEGMENT_EVENTS, 'ahead', NOON + years])
  append({ db, known }, [40 * SEGMENT_EVENTS + 1, 'c', NOON])
  append({ db, known }, [80 * SEGMENT_EVENTS, 'behind', NOON - years])
  append({ db, known }, [120 * SEGMENT_EVENTS, 'd', NOON])
  const expectAll = (ids: KnownMessageIds): void => {
    for (const [messageId, segment] of [
      ['a', 0],
      ['b', 1],
      ['ahead', 40],
      ['c', 40],
      ['d', 120],
    ] as const)
      expect(ids.segmentsWith(messageId)).toContain(segment)
  }
  expectAll(known)
  expectAll(new KnownMessageIds(db, WINDOW))
})

test('events appended out of the order of their times are known until the youngest is beyond the window', () => {
  using opened = openDatabase()
  const { db } = opened
  append(
    { db, known: new KnownMessageIds(db, WINDOW) },
    [1, 'young', NOON + 30_000],
    [2, 'old', NOON],
    [40 * SEGMENT_EVENTS, 'later', NOON + 24 * HOUR + 20_000],
  )
  db.exec('DELETE FROM message_id_filters')
  const known = new KnownMessageIds(db, WINDOW)
  for (const segment of [80, 120])
    append({ db, known }, [segment * SEGMENT_EVENTS, `in ${segment}`, NOON + 24 * HOUR + 30_000])
  expect(known.segmentsWith('young')).toContain(0)
})

test('a segment to which nothing is added after a start is known as others are', () => {
  using opened = openDatabase()
  const { db } = opened
  append({ db, known: new KnownMessageIds(db, WINDOW) }, [1, 'a', NOON])
  const known = new KnownMessageIds(db, WINDOW)
  for (const segment of [40, 80])
    append({ db, known }, [segment * SEGMENT_EVENTS, `in ${segment}`, NOON + HOUR])
  expect(known.segmentsWith('a')).toContain(0)
})

test('an empty table begins anywhere', () => {
  using opened = openDatabase()
  const { db } = opened
  const known = new KnownMessageIds(db, WINDOW)
  append({ db, known }, [50 * SEGMENT_EVENTS + 7, 'a', NOON], [51 * SEGMENT_EVENTS, 'b', NOON])
  expect(known.segmentsWith('a')).toEqual([50])
  expect(keptSegments(db)).toEqual([50])
  db.exec('DELETE FROM events')
  expect(new KnownMessageIds(db, WINDOW).segmentsWith('a')).toEqual([])
  expect(keptSegments(db)).toEqual([])
})
