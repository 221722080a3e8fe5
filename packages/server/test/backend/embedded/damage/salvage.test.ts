import {
  closeSync,
  copyFileSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { salvage } from '../../../../src/backend/embedded/damage/salvage.ts'
import { migrate } from '../../../../src/backend/embedded/migrations/migrate.ts'
import { MIGRATIONS } from '../../../../src/backend/embedded/migrations/migrations.ts'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { newAudience, newDestination, newSource } from '@hookline/testing/records/catalog-records'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const EVENTS = 600

/** A stopped database with rows in most of its tables. */
async function fill(dataDir: string): Promise<string> {
  await using backend = await openEmbeddedBackend({ dataDir, maxWaitingBytes: 2 ** 30 })
  await backend.catalog.putAll({
    sources: [newSource()],
    destinations: [newDestination()],
    computations: [newAudience()],
  })
  const events = Array.from({ length: EVENTS }, (_, n) =>
    // One is longer than a page.
    acceptedEvent({ userId: `u${n}`, ...(n === 17 && { context: { long: 'x'.repeat(20_000) } }) }),
  )
  await backend.log.append(events)
  await backend.profiles.begin()
  return join(dataDir, 'hookline.db')
}

interface PageUse {
  readonly page: number
  readonly table: string
  readonly kind: string
  readonly rows: number
}

/** What each page of the file is used for. */
function pagesOf(file: string): readonly PageUse[] {
  using db = new DatabaseSync(file, { readOnly: true })
  return db
    .prepare('SELECT pageno AS page, name AS "table", pagetype AS kind, ncell AS rows FROM dbstat')
    .all() as unknown as PageUse[]
}

function isLeafOfEvents({ table, kind }: PageUse): boolean {
  return table === 'events' && kind === 'leaf'
}

/** How many events a damaged page may cost. */
function lossOf(use: PageUse): { readonly least: number; readonly most: number } {
  if (isLeafOfEvents(use)) return { least: use.rows, most: use.rows }
  // The end of a long event may be damaged unseen: then its checksum is wrong.
  return { least: 0, most: use.table === 'events' && use.kind === 'overflow' ? 1 : 0 }
}

function overwrite(file: string, page: number, byte: number): void {
  const handle = openSync(file, 'r+')
  writeSync(handle, Buffer.alloc(4096, byte), 0, 4096, (page - 1) * 4096)
  closeSync(handle)
}

/** Salvages the database. Returns what is lost. */
function losses(file: string): readonly string[] {
  salvage(file, 1)
  using db = new DatabaseSync(file, { readOnly: true })
  const found = db.prepare('SELECT description FROM damages ORDER BY rowid').all()
  return found
    .map(({ description }) => String(description))
    .filter((each) => !each.includes('Every row could be read'))
}

function eventsIn(file: string): number {
  using db = new DatabaseSync(file, { readOnly: true })
  expect(db.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  return Number(db.prepare('SELECT COUNT(*) AS count FROM events').get()!['count'])
}

describe('the salvage of a damaged database', () => {
  test('changes nothing of a whole one, and keeps it beside', async () => {
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
    expect(losses(file)).toEqual([])
    expect(rowsOf(file)).toEqual({
      ...before,
      message_id_filters: [],
      damages: [expect.objectContaining({ blocks: 0 })],
    })
    expect(rowsOf(`${file}.damaged`)).toEqual(before)
    expect(readdirSync(folder.path)).not.toContain('hookline.db.salvaged')
  })

  test(
    'loses the rows of a damaged page and no others, whichever page it is',
    { timeout: 240_000 },
    async () => {
      using folder = new TemporaryFolder()
      const original = await fill(folder.path)
      // One of many leaves of events is like another one.
      const tried = pagesOf(original).filter((use) => !isLeafOfEvents(use) || use.page % 10 === 0)
      for (const use of tried) {
        const file = join(folder.path, `page-${use.page}.db`)
        copyFileSync(original, file)
        overwrite(file, use.page, use.page % 2 === 0 ? 0 : 0xa5)
        const found = losses(file)
        const lost = EVENTS - eventsIn(file)
        const { least, most } = lossOf(use)
        expect(lost, JSON.stringify(use)).toBeGreaterThanOrEqual(least)
        expect(lost, JSON.stringify(use)).toBeLessThanOrEqual(most)
        const isTold = found.some((loss) => loss.startsWith('Table events: '))
        expect(isTold || lost === 0, JSON.stringify(use)).toBe(true)
        if (/_by_|_due$|autoindex/.test(use.table)) expect(found, JSON.stringify(use)).toEqual([])
      }
    },
  )

  test('gives no number again that rows of a clause or of a computation still have', async () => {
    using folder = new TemporaryFolder()
    const file = await fill(folder.path)
    {
      using db = new DatabaseSync(file)
      db.exec(`INSERT INTO facts (profile, clause, at, position) VALUES (1, 50, 1, 1);
        INSERT INTO results VALUES (1, 60, 'true', 1);
        INSERT INTO listed_users VALUES (70, 'u1')`)
    }
    expect(losses(file)).toEqual([])
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
  })

  test('names the events of a damaged page', async () => {
    using folder = new TemporaryFolder()
    const file = await fill(folder.path)
    const leaf = pagesOf(file).filter(isLeafOfEvents)[3]!
    overwrite(file, leaf.page, 0)
    const [loss] = losses(file)
    const [, after, through] = /numbers after (\d+) to (\d+)/.exec(loss!)!
    expect(Number(through) - Number(after)).toBe(leaf.rows)
  })

  test('happens at the start after a service has found damage, and is told', async () => {
    using folder = new TemporaryFolder()
    const file = await fill(folder.path)
    const leaf = pagesOf(file).filter(isLeafOfEvents)[3]!
    const read = async (
      onDamage: (text: string) => void,
      meanwhile: () => void = () => undefined,
    ): Promise<number | Error> => {
      const options = { dataDir: folder.path, maxWaitingBytes: 2 ** 30, onDamage }
      await using backend = await openEmbeddedBackend(options)
      meanwhile()
      const slice = backend.followedLog.read({ after: 0, limit: 1_000 })
      return Promise.race([backend.damaged, slice.then(({ events }) => events.length)])
    }
    const told: string[] = []
    const tell = (text: string): void => void told.push(text)
    expect(await read(tell, () => overwrite(file, leaf.page, 0))).toBeInstanceOf(Error)
    expect(await read(tell)).toBe(EVENTS - leaf.rows)
    expect(told).toEqual([expect.stringMatching(/^Table events: 1 pages cannot be read/)])
    expect(readdirSync(folder.path)).toContain('hookline.db.damaged')
    // Once: the next start is as any other.
    expect(await read(tell)).toBe(EVENTS - leaf.rows)
    expect(told).toHaveLength(1)
  })

  test('that was cut off after it had moved the damaged file away is finished by the next start', async () => {
    using folder = new TemporaryFolder()
    const file = await fill(folder.path)
    expect(losses(file)).toEqual([])
    // As at that moment: the log of the damaged database is still there.
    renameSync(file, `${file}.salvaged`)
    writeFileSync(`${file}-wal`, 'the log of the damaged database')
    {
      const options = { dataDir: folder.path, maxWaitingBytes: 2 ** 30 }
      await using _backend = await openEmbeddedBackend(options)
    }
    expect(eventsIn(file)).toBe(EVENTS)
    expect(readdirSync(folder.path)).not.toContain('hookline.db.salvaged')
  })

  test.each([
    ['catalog', 'Table catalog: 1 pages cannot be read.'],
    ['sqlite_autoindex_suppressions_1', expect.stringContaining('Every row could be read')],
  ])(
    'happens in the start that finds damage in %s, however large the file is',
    async (table, loss) => {
      using folder = new TemporaryFolder()
      const file = await fill(folder.path)
      {
        using db = new DatabaseSync(file)
        db.exec(`CREATE TABLE large (bytes BLOB); INSERT INTO large VALUES (zeroblob(${2 ** 26}))`)
        db.exec('DROP TABLE large')
      }
      const { page } = pagesOf(file).find((use) => use.table === table)!
      overwrite(file, page, 0)
      const told: string[] = []
      const onDamage = (text: string): void => void told.push(text)
      const options = { dataDir: folder.path, maxWaitingBytes: 2 ** 30, onDamage }
      const start = openEmbeddedBackend(options).then((backend) => backend[Symbol.asyncDispose]())
      // Without its configuration, it is refused.
      await start.catch((error: Error) => expect(error.name).toBe('ConfigurationDamaged'))
      expect(told).toEqual([loss])
    },
  )

  test.each([
    ['a trigger', 'NEW.webhooks', 'NEW.webhookz'],
    ['a table', 'last_used_at', 'last_used_ax'],
  ])('happens in the start that finds %s damaged', async (_, from, to) => {
    using folder = new TemporaryFolder()
    const file = await fill(folder.path)
    const bytes = readFileSync(file)
    const at = bytes.indexOf(from)
    expect(at, 'a place in the schema').toBeGreaterThan(0)
    bytes.write(to, at)
    writeFileSync(file, bytes)
    const told: string[] = []
    const onDamage = (text: string): void => void told.push(text)
    {
      const options = { dataDir: folder.path, maxWaitingBytes: 2 ** 30, onDamage }
      await using _backend = await openEmbeddedBackend(options)
    }
    expect(told).toEqual([expect.stringContaining('Every row could be read')])
    expect(eventsIn(file)).toBe(EVENTS)
  })

  test.each<[string, (uses: readonly PageUse[]) => PageUse]>([
    ['of other events', (uses) => uses.filter(isLeafOfEvents)[5]!],
    ['of an empty table', (uses) => uses.find((use) => use.table === 'audit')!],
  ])('names the events of a page in whose place a page %s was written', async (_, sourceOf) => {
    using folder = new TemporaryFolder()
    const file = await fill(folder.path)
    const uses = pagesOf(file)
    const leaves = uses.filter(isLeafOfEvents)
    const bytes = readFileSync(file)
    const at = (sourceOf(uses).page - 1) * 4096
    bytes.set(bytes.subarray(at, at + 4096), (leaves[2]!.page - 1) * 4096)
    writeFileSync(file, bytes)
    const before = leaves[0]!.rows + leaves[1]!.rows
    expect(losses(file)).toEqual([
      `Table events: 1 pages cannot be read (numbers after ${before} to ${before + leaves[2]!.rows}).`,
    ])
    expect(eventsIn(file)).toBe(EVENTS - leaves[2]!.rows)
  })

  test('tells the number of an event with a changed byte, and keeps it', async () => {
    using folder = new TemporaryFolder()
    const file = await fill(folder.path)
    const bytes = readFileSync(file)
    bytes.write('"u-23"', bytes.indexOf('"u123"'))
    writeFileSync(file, bytes)
    expect(losses(file)).toEqual(['Table events: 1 rows have changed bytes (numbers 124 to 124).'])
    expect(eventsIn(file)).toBe(EVENTS)
  })

  test('keeps the schema of an older version, whose rows the next start migrates', async () => {
    using folder = new TemporaryFolder()
    const file = join(folder.path, 'hookline.db')
    {
      using db = new DatabaseSync(file)
      db.function('seal', { varargs: true }, () => null)
      migrate(db, file, MIGRATIONS.slice(0, 7))
      db.exec(`INSERT INTO events (seq, id, source_id, message_id, type, received_at, marks, body)
        VALUES (1, 'evt_1', 'src_a', 'm1', 'track', 1, '', '{}')`)
    }
    expect(losses(file)).toEqual([])
    {
      using db = new DatabaseSync(file)
      expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 7 })
      expect(eventsIn(file)).toBe(1)
    }
    {
      const options = { dataDir: folder.path, maxWaitingBytes: 2 ** 30 }
      await using _migrated = await openEmbeddedBackend(options)
    }
    // A migration removes older copies, and not this file.
    expect(readdirSync(folder.path)).toContain('hookline.db.damaged')
  })
})
