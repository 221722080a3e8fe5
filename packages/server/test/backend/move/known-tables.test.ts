import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { movedTables, NOT_COPIED } from '../../../src/backend/cluster/move/moved-tables.ts'
import { openEmbeddedBackend } from '../../../src/backend/embedded/open.ts'
import { openStoppedData } from '../../../src/backend/embedded/stopped/stopped-database.ts'
import { SecretBox } from '../../../src/util/secrets/secret-box.ts'
import { clusterIsMissing } from '@hookline/testing/cluster/cluster-servers'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { openPostgres } from '../cluster/open-postgres.ts'
import { MAX_WAITING_BYTES } from './filled-folder.ts'

describe.skipIf(clusterIsMissing() !== undefined)('the tables of both engines', () => {
  test('have every column of an embedded service, or it is named as one that is not copied', async () => {
    using folder = new TemporaryFolder()
    const dataDir = folder.path
    await (
      await openEmbeddedBackend({ dataDir, maxWaitingBytes: MAX_WAITING_BYTES })
    )[Symbol.asyncDispose]()
    using data = openStoppedData({ dataDir })
    await using postgres = await openPostgres()
    const box = new SecretBox(SecretBox.keysIn(SecretBox.newKey())!)
    const options = { postgres, data, box, maxPayloadBytes: 1024 * 1024 }
    const tables = await movedTables({ ...options, checkLog: async () => undefined })
    const copied = tables.flatMap(({ from, columns }) =>
      columns.map(({ name }) => `${from}.${name}`),
    )
    const stored = [
      ...data.rows(`SELECT tables.name AS "table", columns.name AS name
        FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
        WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%'`),
    ]
    const forgotten = stored
      .map(({ table, name }) => ({
        table: String(table),
        column: `${String(table)}.${String(name)}`,
      }))
      .filter(({ table, column }) => !(table in NOT_COPIED || column in NOT_COPIED))
      .filter(({ column }) => !copied.includes(column))
    expect(forgotten).toEqual([])
    const needed = await postgres.run(sql<{ readonly table: string; readonly name: string }>`
      SELECT table_name AS "table", column_name AS name FROM information_schema.columns
      WHERE table_schema = current_schema() AND is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO'`)
    for (const { name, columns } of tables)
      expect(columns.map((column) => column.name)).toEqual(
        expect.arrayContaining(
          needed.filter(({ table }) => table === name).map((each) => each.name),
        ),
      )
  })
})

test('the guide lists what is not copied, with the reasons', () => {
  const guide = readFileSync(
    join(import.meta.dirname, '../../../../../docs/guides/cluster.md'),
    'utf8',
  )
  const flat = guide.replaceAll(/\s+/g, ' ')
  for (const [name, reason] of Object.entries(NOT_COPIED)) {
    expect(flat).toContain(`\`${name}\``)
    expect(flat).toContain(reason)
  }
})
