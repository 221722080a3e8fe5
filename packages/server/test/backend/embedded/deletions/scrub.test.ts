import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { DataDir } from '../../../../src/backend/embedded/database/data-dir.ts'
import { scrub } from '../../../../src/backend/embedded/deletions/scrub.ts'
import { filesWith } from '@hookline/testing/files/bytes-in-folder'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const PLANTED = 'PLANTED-VALUE'

/** Inserts rows in a fixed random order to split pages, then deletes rows with the planted value. */
function fillAndDelete(db: DatabaseSync): void {
  const random = seededRandom(1)
  db.exec('CREATE TABLE a (id TEXT PRIMARY KEY, mine INTEGER, text TEXT) STRICT, WITHOUT ROWID')
  const insert = db.prepare('INSERT INTO a VALUES (?, ?, ?)')
  db.exec('BEGIN')
  for (let row = 0; row < 5000; row++) {
    const mine = random() < 0.1 ? 1 : 0
    insert.run(`${random()}`, mine, `${mine ? PLANTED : ''}${'x'.repeat(random() * 900)}`)
  }
  db.exec('COMMIT; DELETE FROM a WHERE mine = 1; PRAGMA wal_checkpoint(TRUNCATE)')
}

function scrubAll(db: DatabaseSync): number {
  const slice = scrub(db)
  let slices = 0
  for (let page: number | null = 0; page !== null; slices++) {
    const scrubbed = slice(page)
    if (scrubbed === 'busy') throw new Error('The database is busy.')
    page = scrubbed.nextPage
  }
  return slices
}

test('removes only the data that secure_delete leaves in split pages', () => {
  using folder = new TemporaryFolder()
  const file = join(folder.path, 'test.db')
  using db = DataDir.openForWriting(file)
  fillAndDelete(db)
  const before = db.prepare('SELECT * FROM a').all()
  expect(filesWith(folder.path, PLANTED)).toEqual(['test.db'])
  scrubAll(db)
  expect(filesWith(folder.path, PLANTED)).toEqual([])
  expect(db.prepare('SELECT * FROM a').all()).toEqual(before)
  expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
})

test('a second run has nothing left to write', () => {
  using folder = new TemporaryFolder()
  const file = join(folder.path, 'test.db')
  using db = DataDir.openForWriting(file)
  fillAndDelete(db)
  scrubAll(db)
  const scrubbed = readFileSync(file)
  scrubAll(db)
  expect(readFileSync(file).equals(scrubbed)).toBe(true)
})

test('SQLite can still write to the pages', () => {
  using folder = new TemporaryFolder()
  using db = DataDir.openForWriting(join(folder.path, 'test.db'))
  fillAndDelete(db)
  scrubAll(db)
  db.exec("UPDATE a SET text = text || 'y'; DELETE FROM a WHERE id < '0.5'")
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  expect(filesWith(folder.path, PLANTED)).toEqual([])
  expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
})
