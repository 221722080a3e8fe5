import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import {
  migrate,
  removeCopies,
  SchemaTooNewError,
  type Migration,
} from '../../../../src/backend/embedded/migrations/migrate.ts'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const first: Migration = { version: 1, sql: "CREATE TABLE a (x); INSERT INTO a VALUES ('kept')" }
const second: Migration = { version: 2, sql: 'ALTER TABLE a ADD COLUMN y' }
const broken: Migration = { version: 3, sql: 'CREATE TABLE b (x); SELECT no_such_function()' }

function open(folder: TemporaryFolder): { db: DatabaseSync; file: string } {
  const file = join(folder.path, 'test.db')
  return { db: new DatabaseSync(file), file }
}

const versionOf = (db: DatabaseSync): unknown =>
  db.prepare('PRAGMA user_version').get()?.['user_version']

test('runs each missing step once', () => {
  using folder = new TemporaryFolder()
  const { db, file } = open(folder)
  using _closing = db
  expect(migrate(db, file, [first])).toBeUndefined()
  expect(migrate(db, file, [first])).toBeUndefined()
  migrate(db, file, [first, second])
  expect(versionOf(db)).toBe(2)
  expect(db.prepare('SELECT x, y FROM a').all()).toEqual([{ x: 'kept', y: null }])
})

test('makes a copy of a database before changing it', () => {
  using folder = new TemporaryFolder()
  const { db, file } = open(folder)
  using _closing = db
  migrate(db, file, [first])
  const copy = migrate(db, file, [first, second])!
  using before = new DatabaseSync(copy, { readOnly: true })
  expect(versionOf(before)).toBe(1)
  expect(before.prepare('SELECT * FROM a').all()).toEqual([{ x: 'kept' }])
  expect(statSync(copy).mode & 0o777).toBe(0o600)
})

test('keeps only the copy of the last migration', () => {
  using folder = new TemporaryFolder()
  const { db, file } = open(folder)
  using _closing = db
  migrate(db, file, [first])
  const older = migrate(db, file, [first, second])!
  const third: Migration = { version: 3, sql: 'ALTER TABLE a ADD COLUMN z' }
  expect(() => migrate(db, file, [first, second, broken])).toThrow()
  expect(existsSync(older)).toBe(true)
  const newer = migrate(db, file, [first, second, third])!
  expect([existsSync(older), existsSync(newer)]).toEqual([false, true])
})

test('removes a copy that is older than the retention period', () => {
  using folder = new TemporaryFolder()
  const { db, file } = open(folder)
  using _closing = db
  migrate(db, file, [first])
  const copy = migrate(db, file, [first, second])!
  removeCopies(file, { madeBefore: statSync(copy).mtimeMs })
  expect(existsSync(copy)).toBe(true)
  removeCopies(file, { madeBefore: statSync(copy).mtimeMs + 1 })
  expect(existsSync(copy)).toBe(false)
})

test('a failing step leaves the database as before that step', () => {
  using folder = new TemporaryFolder()
  const { db, file } = open(folder)
  using _closing = db
  migrate(db, file, [first])
  expect(() => migrate(db, file, [first, second, broken])).toThrow('no_such_function')
  expect(db.isTransaction).toBe(false)
  expect(versionOf(db)).toBe(2)
  expect(db.prepare("SELECT name FROM sqlite_schema WHERE name = 'b'").all()).toEqual([])
})

test('a failing step leaves a new database empty', () => {
  using folder = new TemporaryFolder()
  const { db, file } = open(folder)
  using _closing = db
  expect(() => migrate(db, file, [first, second, broken])).toThrow('no_such_function')
  expect(db.isTransaction).toBe(false)
  expect([versionOf(db), db.prepare('SELECT * FROM sqlite_schema').all()]).toEqual([0, []])
})

test('refuses a database of a newer version without changing it', () => {
  using folder = new TemporaryFolder()
  const { db, file } = open(folder)
  using _closing = db
  migrate(db, file, [first, second])
  expect(() => migrate(db, file, [first])).toThrow(SchemaTooNewError)
  expect(() => migrate(db, file, [first])).toThrow(/Start the newer version again/)
  expect(versionOf(db)).toBe(2)
  expect(existsSync(`${file}.schema-2.backup`)).toBe(false)
})

test('a copy left by an interrupted migration does not block the next one', () => {
  using folder = new TemporaryFolder()
  const { db, file } = open(folder)
  using _closing = db
  migrate(db, file, [first])
  expect(() =>
    migrate(db, file, [first, { version: 2, sql: 'SELECT no_such_function()' }]),
  ).toThrow()
  migrate(db, file, [first, second])
  expect(versionOf(db)).toBe(2)
})
