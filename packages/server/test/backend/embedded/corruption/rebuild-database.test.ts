import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { rebuildInto } from '../../../../src/backend/embedded/stopped/rebuild-database.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { newAudience, newDestination, newSource } from '@hookline/testing/records/catalog-records'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const EVENTS = 600

/** Makes a stopped database with configuration, events and profiles. Returns its file. */
async function fill(dataDir: string): Promise<string> {
  await using backend = await openEmbeddedBackend({ dataDir, maxWaitingBytes: 2 ** 30 })
  await backend.catalog.putAll({
    sources: [newSource()],
    destinations: [newDestination()],
    computations: [newAudience()],
  })
  const events = Array.from({ length: EVENTS }, (_, n) =>
    // One event is longer than a page.
    acceptedEvent({ userId: `u${n}`, ...(n === 17 && { context: { long: 'x'.repeat(20_000) } }) }),
  )
  await backend.log.append(events)
  await backend.profiles.begin(100)
  return join(dataDir, 'hookline.db')
}

interface PageUse {
  readonly page: number
  readonly table: string
  readonly kind: string
  readonly rows: number
}

/** The use of each page of the file. */
function pagesOf(file: string): readonly PageUse[] {
  using db = new DatabaseSync(file, { readOnly: true })
  return db
    .prepare('SELECT pageno AS page, name AS "table", pagetype AS kind, ncell AS rows FROM dbstat')
    .all() as unknown as PageUse[]
}

function isLeafOfEvents({ table, kind }: PageUse): boolean {
  return table === 'events' && kind === 'leaf'
}

/** The maximum number of events lost by corrupting one page. SQLite cannot find the pages below a corrupted one. */
function maxLost(use: PageUse): number {
  if (use.table === 'sqlite_schema' || (use.table === 'events' && use.kind === 'internal'))
    return EVENTS
  if (use.table === 'events' && use.kind === 'overflow') return 1
  return isLeafOfEvents(use) ? use.rows : 0
}

function overwrite(file: string, page: number, byte: number): void {
  const handle = openSync(file, 'r+')
  writeSync(handle, Buffer.alloc(4096, byte), 0, 4096, (page - 1) * 4096)
  closeSync(handle)
}

const NOTHING_LOST = expect.stringContaining('All rows were readable')

function eventsIn(file: string): number {
  using db = new DatabaseSync(file, { readOnly: true })
  expect(db.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  return Number(db.prepare('SELECT COUNT(*) AS count FROM events').get()!['count'])
}

async function open(dataDir: string, reported: string[] = []): Promise<void> {
  const onCorruption = (text: string): void => void reported.push(text)
  await using _backend = await openEmbeddedBackend({
    dataDir,
    maxWaitingBytes: 2 ** 30,
    onCorruption,
  })
}

describe('the rebuild of a corrupted database', () => {
  test('preserves the rows of an intact database, and keeps the previous file', async () => {
    using folder = new TemporaryFolder()
    const file = await fill(folder.path)
    const rowsOf = (each: string) => {
      using db = new DatabaseSync(each, { readOnly: true })
      const tables = db
        .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
        .all()
      return Object.fromEntries(
        tables.map(({ name }) => [
          name,
          db.prepare(`SELECT * FROM "${String(name)}" ORDER BY 1, 2`).all(),
        ]),
      )
    }
    const before = rowsOf(file)
    const previous = `${file}.corrupted`
    expect(await rebuildInto(folder.path)).toEqual({ previous, missing: [NOTHING_LOST] })
    expect(rowsOf(file)).toEqual({
      ...before,
      message_id_filters: [],
      corruptions: [expect.objectContaining({ description: NOTHING_LOST })],
    })
    expect(rowsOf(previous)).toEqual(before)
    expect(readdirSync(folder.path).filter((name) => name.includes('rebuilt'))).toEqual([])
  })

  test('loses only the rows on a corrupted page, for any page', { timeout: 240_000 }, async () => {
    using folder = new TemporaryFolder()
    const original = await fill(folder.path)
    // All leaves of events are alike, so a sample suffices.
    const tried = pagesOf(original).filter((use) => !isLeafOfEvents(use) || use.page % 10 === 0)
    for (const use of tried) {
      const dataDir = join(folder.path, `page-${use.page}`)
      const file = join(dataDir, 'hookline.db')
      mkdirSync(dataDir)
      copyFileSync(original, file)
      overwrite(file, use.page, use.page % 2 === 0 ? 0 : 0xa5)
      const rebuilt = await rebuildInto(dataDir).catch((error: Error) => error)
      if (rebuilt instanceof Error) {
        expect(use.table, rebuilt.message).toBe('sqlite_schema')
        expect(rebuilt.message).toContain('hookline restore')
        continue
      }
      const lost = EVENTS - eventsIn(file)
      expect(lost, JSON.stringify(use)).toBeLessThanOrEqual(maxLost(use))
      const isReported = rebuilt.missing.some((each) => each.startsWith('Table events: '))
      expect(isReported, JSON.stringify(use)).toBe(
        lost > 0 || (use.table === 'events' && isReported),
      )
      if (/_by_|_due$|autoindex/.test(use.table))
        expect(rebuilt.missing.slice(1), JSON.stringify(use)).toEqual([])
    }
  })

  test('does not reuse the number of a clause, a computation or an identity that rows still refer to', async () => {
    using folder = new TemporaryFolder()
    const file = await fill(folder.path)
    {
      using db = new DatabaseSync(file)
      db.exec(`INSERT INTO facts (identity, clause, at, position) VALUES (80, 50, 1, 1);
        INSERT INTO results VALUES (1, 60, 'true', 1);
        INSERT INTO listed_users VALUES (70, 'u1')`)
    }
    expect((await rebuildInto(folder.path)).missing).toEqual([NOTHING_LOST])
    using db = new DatabaseSync(file)
    const clause = db.prepare(
      `INSERT INTO fact_clauses (definition, keep_most, fill_through, filled_through)
       VALUES ('{}', 1, 1, 1) RETURNING number`,
    )
    expect(clause.get()).toEqual({ number: 51 })
    const computation = db.prepare(
      `INSERT INTO computations (id, size) VALUES ('aud_new', 0) RETURNING number`,
    )
    expect(computation.get()).toEqual({ number: 71 })
    expect(db.prepare('SELECT identities FROM profiles_state').get()).toEqual({ identities: 80 })
  })

  test('counts the profiles, and makes an identity without its leader a separate profile', async () => {
    using folder = new TemporaryFolder()
    const file = await fill(folder.path)
    {
      using db = new DatabaseSync(file)
      const put = db.prepare(
        `INSERT INTO identities (id, space, kind, name, profile, is_seen, counts, placeholders, version)
         VALUES (?, 'default', ?, ?, ?, 1, '{}', 0, 1)`,
      )
      put.run(2, 'user', 'leads', 2)
      put.run(3, 'anonymous', 'is led', 2)
      put.run(4, 'anonymous', 'has lost its leader', 1)
    }
    await rebuildInto(folder.path)
    using db = new DatabaseSync(file)
    const rows = db.prepare('SELECT id, profile FROM identities ORDER BY id').all()
    expect(rows.map(({ id, profile }) => [id, profile])).toEqual([
      [2, 2],
      [3, 2],
      [4, 4],
    ])
    expect(db.prepare('SELECT * FROM spaces').all()).toEqual([{ name: 'default', profiles: 2 }])
  })

  test('names the events on several corrupted pages', async () => {
    using folder = new TemporaryFolder()
    const file = await fill(folder.path)
    const leaves = pagesOf(file).filter(isLeafOfEvents)
    const firstOf = (index: number): number =>
      1 + leaves.slice(0, index).reduce((sum, { rows }) => sum + rows, 0)
    for (const index of [3, 9]) overwrite(file, leaves[index]!.page, 0)
    const ranges = [3, 9].map((index) => rangeText(firstOf(index), firstOf(index + 1) - 1))
    const { missing } = await rebuildInto(folder.path)
    expect(missing).toContain(
      `Table events: rows are missing or were deleted earlier (${ranges.join(', ')}).`,
    )
    expect(eventsIn(file)).toBe(EVENTS - leaves[3]!.rows - leaves[9]!.rows)
  })

  test('names the events if the root page of their table is corrupted', async () => {
    using folder = new TemporaryFolder()
    const file = await fill(folder.path)
    using db = new DatabaseSync(file)
    db.exec(`UPDATE log_position SET acked = ${EVENTS}; PRAGMA wal_checkpoint(TRUNCATE)`)
    const root = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'events'").get()
    db.close()
    overwrite(file, Number(root?.['rootpage']), 0)
    const { missing } = await rebuildInto(folder.path)
    expect(eventsIn(file)).toBe(0)
    expect(missing).toContain(
      `Table events: rows are missing or were deleted earlier (numbers 1 to ${EVENTS}).`,
    )
  })

  test('is required at startup after a service has found corruption, and is reported by the next start', async () => {
    using folder = new TemporaryFolder()
    const file = await fill(folder.path)
    const leaf = pagesOf(file).filter(isLeafOfEvents)[3]!
    {
      const options = { dataDir: folder.path, maxWaitingBytes: 2 ** 30 }
      await using backend = await openEmbeddedBackend(options)
      overwrite(file, leaf.page, 0)
      await expect(backend.followedLog.read({ after: 0, limit: 1_000 })).rejects.toThrow(
        /malformed/,
      )
      expect(await backend.corrupted).toBeInstanceOf(Error)
    }
    const bytes = readFileSync(file)
    for (let start = 0; start < 2; start++) {
      const refused = await open(folder.path).catch((error: unknown) => error)
      expect(refused).toMatchObject({
        name: 'CorruptedDatabaseError',
        message: expect.stringMatching(/hookline restore .+hookline rebuild/),
      })
    }
    expect(readFileSync(file)).toEqual(bytes)
    const { missing } = await rebuildInto(folder.path)
    const reported: string[] = []
    await open(folder.path, reported)
    expect(reported).toEqual(missing)
    // Only once: the start after that is a normal one.
    await open(folder.path, reported)
    expect(reported).toEqual(missing)
  })

  test.each([
    ['a trigger', 'NEW.webhooks', 'NEW.webhookz'],
    ['a table', 'last_used_at', 'last_used_ax'],
  ])('recreates the schema if startup finds %s corrupted', async (_, from, to) => {
    using folder = new TemporaryFolder()
    const file = await fill(folder.path)
    const bytes = readFileSync(file)
    const at = bytes.indexOf(from)
    expect(at, 'a place in the schema').toBeGreaterThan(0)
    bytes.write(to, at)
    writeFileSync(file, bytes)
    await expect(open(folder.path)).rejects.toMatchObject({ name: 'CorruptedDatabaseError' })
    await rebuildInto(folder.path)
    await open(folder.path)
    expect(eventsIn(file)).toBe(EVENTS)
  })

  test.each<[string, (uses: readonly PageUse[]) => PageUse]>([
    ['of other events', (uses) => uses.filter(isLeafOfEvents)[5]!],
    ['of an empty table', (uses) => uses.find((use) => use.table === 'audit')!],
  ])('names the events on a page that was overwritten with a page %s', async (_, sourceOf) => {
    using folder = new TemporaryFolder()
    const file = await fill(folder.path)
    const uses = pagesOf(file)
    const leaves = uses.filter(isLeafOfEvents)
    const bytes = readFileSync(file)
    const at = (sourceOf(uses).page - 1) * 4096
    bytes.set(bytes.subarray(at, at + 4096), (leaves[2]!.page - 1) * 4096)
    writeFileSync(file, bytes)
    const before = leaves[0]!.rows + leaves[1]!.rows
    const { missing } = await rebuildInto(folder.path)
    expect(missing.join()).toContain(rangeText(before + 1, before + leaves[2]!.rows))
    expect(eventsIn(file)).toBe(EVENTS - leaves[2]!.rows)
  })

  test('reports the number of an event with a changed byte, and keeps the event', async () => {
    using folder = new TemporaryFolder()
    const file = await fill(folder.path)
    const bytes = readFileSync(file)
    bytes.write('"u-23"', bytes.indexOf('"u123"'))
    writeFileSync(file, bytes)
    expect((await rebuildInto(folder.path)).missing).toContain(
      'Table events: 1 row has a checksum mismatch (number 124).',
    )
    expect(eventsIn(file)).toBe(EVENTS)
  })

  test('can read the tables of another file', async () => {
    using folder = new TemporaryFolder()
    using other = new TemporaryFolder()
    const recovered = join(other.path, 'recovered.db')
    copyFileSync(await fill(other.path), recovered)
    const { previous } = await rebuildInto(folder.path, recovered)
    expect(previous).toBeUndefined()
    expect(eventsIn(join(folder.path, 'hookline.db'))).toBe(EVENTS)
  })

  test('from a file that is not a Hookline database changes nothing', async () => {
    using folder = new TemporaryFolder()
    const file = await fill(folder.path)
    const bytes = readFileSync(file)
    const other = join(folder.path, 'other.db')
    {
      using db = new DatabaseSync(other)
      db.exec('CREATE TABLE events_of_another (id)')
    }
    for (const from of [
      other,
      join(folder.path, 'missing.db'),
      join(folder.path, 'encryption-key'),
    ])
      await expect(rebuildInto(folder.path, from)).rejects.toMatchObject({
        name: 'UnusableDatabaseError',
      })
    expect(readFileSync(file)).toEqual(bytes)
  })
})

function rangeText(first: number, last: number): string {
  return first === last ? `number ${first}` : `numbers ${first} to ${last}`
}
