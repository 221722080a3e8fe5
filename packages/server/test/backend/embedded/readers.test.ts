import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { type Backend, BackendUnavailableError } from '../../../src/backend/backend.ts'
import { CorruptionWatch } from '../../../src/backend/embedded/corruption/watch.ts'
import { openEmbeddedBackend } from '../../../src/backend/embedded/open.ts'
import { Readers } from '../../../src/backend/embedded/readers.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { fillArchive } from '@hookline/testing/files/fill-archive'
import { search } from './search.ts'

const NEVER = new AbortController().signal

function openBackend(folder: TemporaryFolder): Promise<Backend> {
  return openEmbeddedBackend({ dataDir: folder.path, maxWaitingBytes: 2 ** 24 })
}

/** Opens readers of a new database without tables. */
function openReaders(folder: TemporaryFolder): Readers {
  const file = join(folder.path, 'some.db')
  new DatabaseSync(file).close()
  return new Readers(file, () => Promise.resolve(), new CorruptionWatch(file))
}

/** Reads `rows` generated rows. 100,000 take about ten milliseconds. */
function count(readers: Readers, rows: number): Promise<unknown> {
  const sql = `WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
    SELECT COUNT(*) AS count FROM number`
  return readers.run('select', { sql, values: [rows] })
}

test('a short read does not wait for a long one', async () => {
  using folder = new TemporaryFolder()
  await using readers = openReaders(folder)
  await Promise.all([count(readers, 1000), count(readers, 1000)])
  const ended: string[] = []
  const long = count(readers, 3_000_000).then(() => ended.push('long'))
  const short = count(readers, 1).then(() => ended.push('short'))
  await Promise.all([long, short])
  expect(ended).toEqual(['short', 'long'])
})

test('reads beyond the limit of waiting reads are refused, and the others complete', async () => {
  using folder = new TemporaryFolder()
  await using readers = openReaders(folder)
  const running = [count(readers, 300_000), count(readers, 300_000)]
  const waiting = Array.from({ length: 256 }, (_, index) => count(readers, index))
  const error: unknown = await count(readers, 1).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(BackendUnavailableError)
  expect(error).toMatchObject({ message: expect.stringContaining('Too many reads are waiting') })
  expect(await Promise.all(running)).toEqual([[{ count: 300_000 }], [{ count: 300_000 }]])
  expect(await Promise.all(waiting)).toHaveLength(256)
  expect(await count(readers, 7)).toEqual([{ count: 7 }])
})

test('a read that crashes its thread rejects, and later reads get another thread', async () => {
  using folder = new TemporaryFolder()
  await using readers = openReaders(folder)
  // Exceeds the memory of a thread.
  const sql = `WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 600)
    SELECT printf('%.*c', 1000000, 'x') AS text FROM number`
  const large = readers.run('select', { sql, values: [] })
  const others = [count(readers, 1), count(readers, 2), count(readers, 3)]
  await expect(large).rejects.toBeInstanceOf(BackendUnavailableError)
  await expect(large).rejects.toThrow(/^The database cannot be read: .*memory/)
  expect(await Promise.all(others)).toEqual([[{ count: 1 }], [{ count: 2 }], [{ count: 3 }]])
  expect(await count(readers, 3)).toEqual([{ count: 3 }])
})

test('a read rejects if its thread cannot open the database, and a later read succeeds', async () => {
  using folder = new TemporaryFolder()
  const file = join(folder.path, 'late.db')
  await using readers = new Readers(file, () => Promise.resolve(), new CorruptionWatch(file))
  await expect(count(readers, 1)).rejects.toBeInstanceOf(BackendUnavailableError)
  new DatabaseSync(file).close()
  expect(await count(readers, 2)).toEqual([{ count: 2 }])
})

test('a failing statement rejects with the message from SQLite, and its thread continues', async () => {
  using folder = new TemporaryFolder()
  await using readers = openReaders(folder)
  const wrong = readers.run('select', { sql: 'SELECT missing', values: [] })
  await expect(wrong).rejects.toThrow('SQLite: no such column: missing')
  await expect(wrong).rejects.not.toBeInstanceOf(BackendUnavailableError)
  const writing = readers.run('select', { sql: 'CREATE TABLE t (a)', values: [] })
  await expect(writing).rejects.toThrow('readonly')
  expect(await count(readers, 2)).toEqual([{ count: 2 }])
})

test('when the readers are closed, reads in progress finish, and all others reject', async () => {
  using folder = new TemporaryFolder()
  const readers = openReaders(folder)
  const running = [count(readers, 100_000), count(readers, 100_000)]
  const waiting = expect(count(readers, 1)).rejects.toBeInstanceOf(BackendUnavailableError)
  await readers[Symbol.asyncDispose]()
  expect(await Promise.all(running)).toEqual([[{ count: 100_000 }], [{ count: 100_000 }]])
  await waiting
  await expect(count(readers, 1)).rejects.toBeInstanceOf(BackendUnavailableError)
})

test('no reader thread starts before the first long read', async () => {
  using folder = new TemporaryFolder()
  let threads = 0
  const onThread = (): void => void threads++
  process.on('worker', onThread)
  try {
    await using backend = await openBackend(folder)
    const event = acceptedEvent()
    await backend.log.append([event])
    await backend.events.find(event.id)
    await backend.deliveries.list({ eventId: event.id }, { limit: 10 })
    await backend.deliveries.waiting()
    await backend.upkeep.backlog()
    // The writer's thread.
    expect(threads).toBe(1)
    await backend.events.list({}, { limit: 10 })
    await backend.events.list({}, { limit: 10 })
    expect(threads).toBe(2)
  } finally {
    process.off('worker', onThread)
  }
})

test('a list includes all earlier commits, even while another read is in progress', async () => {
  using folder = new TemporaryFolder()
  fillArchive(folder, { events: 20_000 })
  await using backend = await openBackend(folder)
  const over = new AbortController()
  const searching = (async () => {
    while (!over.signal.aborted) await search(backend, 'nowhere')
  })()
  for (let i = 0; i < 50; i++) {
    const event = acceptedEvent()
    await backend.log.append([event])
    const { data } = await backend.events.list({}, { limit: 1 })
    expect(data.map(({ id }) => id)).toEqual([event.id])
  }
  over.abort()
  await searching
})

test('the write-ahead log stays small during continuous searches and writes', async () => {
  using folder = new TemporaryFolder()
  fillArchive(folder, { events: 20_000 })
  await using backend = await openBackend(folder)
  const over = new AbortController()
  const searching = [1, 2, 3].map(async () => {
    while (!over.signal.aborted) await search(backend, 'nowhere')
  })
  const properties = { text: 'x'.repeat(30_000) }
  let maxBytes = 0
  for (let i = 0; i < 100; i++) {
    await backend.log.append(Array.from({ length: 70 }, () => acceptedEvent({ properties })))
    maxBytes = Math.max(maxBytes, statSync(join(folder.path, 'hookline.db-wal')).size)
  }
  over.abort()
  await Promise.all(searching)
  // It is emptied when it exceeds 64 MiB. Otherwise it would grow to 200 MB.
  expect(maxBytes).toBeGreaterThan(2 ** 24)
  expect(maxBytes).toBeLessThan(150 * 2 ** 20)
})

test('continuous searches on every thread do not prevent erasure', async () => {
  using folder = new TemporaryFolder()
  fillArchive(folder, { events: 60_000 })
  await using backend = await openBackend(folder)
  const over = new AbortController()
  const searching = [1, 2, 3].map(async () => {
    while (!over.signal.aborted) await search(backend, 'nowhere')
  })
  const writing = (async () => {
    while (!over.signal.aborted) await backend.log.append([acceptedEvent()])
  })()
  expect(await backend.deletions.erase(NEVER)).toBe(true)
  over.abort()
  await Promise.all([...searching, writing])
})
