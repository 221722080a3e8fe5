import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { MOVED_TABLES } from '../../../src/backend/cluster/move/moved-tables.ts'
import { MIGRATIONS } from '../../../src/backend/embedded/migrations/migrations.ts'
import {
  LEFT_IN_FILE,
  MOVED_EVENT_COLUMNS,
  TABLE_READS,
} from '../../../src/backend/embedded/stopped/stored-tables.ts'
import { STORED_TABLES } from '../../../src/backend/stopped-data.ts'

/** Each column of the schema of an embedded service, as `table.column`. */
function columnsOfSchema(): string[] {
  using db = new DatabaseSync(':memory:')
  for (const { sql } of MIGRATIONS) db.exec(sql)
  return db
    .prepare(
      `SELECT m.name || '.' || c.name AS name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
       WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`,
    )
    .all()
    .map(({ name }) => String(name))
}

test('every column of an embedded service is moved, or named as one that stays in the file', () => {
  const moved = [
    ...STORED_TABLES.flatMap((table) =>
      TABLE_READS[table].columns.map((column) => `${table}.${column}`),
    ),
    ...MOVED_EVENT_COLUMNS.map((column) => `events.${column}`),
    'log_position.acked',
    'profiles_state.purges',
    'profiles_state.identities',
  ]
  const isLeft = (name: string): boolean => {
    const [table, column] = name.split('.')
    return LEFT_IN_FILE.some(
      (each) => each.table === table && (each.columns?.includes(column!) ?? true),
    )
  }
  const unknown = columnsOfSchema().filter((name) => !moved.includes(name) && !isLeft(name))
  expect(unknown).toEqual([])
})

test('every table that is read is written somewhere', () => {
  const written = new Set(MOVED_TABLES.map(({ from }) => from))
  expect(STORED_TABLES.filter((table) => !written.has(table))).toEqual([])
})

test('the guide lists what stays in the file, with the reasons', () => {
  const guide = readFileSync(
    join(import.meta.dirname, '../../../../../docs/guides/cluster.md'),
    'utf8',
  )
  const flat = guide.replaceAll(/\s+/g, ' ')
  for (const { table, reason } of LEFT_IN_FILE) {
    expect(flat).toContain(`\`${table}\``)
    expect(flat).toContain(reason)
  }
})
