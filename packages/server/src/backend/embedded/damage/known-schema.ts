import { DatabaseSync } from 'node:sqlite'
import { migrate } from '../migrations/migrate.ts'
import { type Migration, MIGRATIONS } from '../migrations/migrations.ts'

/** The steps that a database of this version has taken; all of them where it has no known version. */
function migrationsTo(version: number): readonly Migration[] {
  const taken = MIGRATIONS.filter((migration) => migration.version <= version)
  return taken.length === 0 ? MIGRATIONS : taken
}

/** Makes an empty database of a version. */
export function migrateEmpty(db: DatabaseSync, file: string, version: number): void {
  // The migrations of an empty database seal nothing.
  db.function('seal', { varargs: true }, () => null)
  migrate(db, file, migrationsTo(version))
}

/** Whether the database has every table, index and trigger of its version as the migrations make them. */
export function hasKnownSchema(db: DatabaseSync): boolean {
  using expected = new DatabaseSync(':memory:')
  migrateEmpty(
    expected,
    ':memory:',
    Number(db.prepare('PRAGMA user_version').get()!['user_version']),
  )
  const found = schemaOf(db)
  return [...schemaOf(expected)].every(([name, sql]) => found.get(name) === sql)
}

function schemaOf(db: DatabaseSync): ReadonlyMap<string, string> {
  const rows = db.prepare('SELECT type, name, sql FROM sqlite_schema').all()
  return new Map(
    rows.map(({ type, name, sql }) => [`${String(type)} ${String(name)}`, String(sql)]),
  )
}
