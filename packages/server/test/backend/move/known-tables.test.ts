import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { movedTables, NOT_COPIED } from '../../../src/backend/cluster/move/moved-tables.ts'
import { openEmbeddedBackend } from '../../../src/backend/embedded/open.ts'
import { openStoppedData } from '../../../src/backend/embedded/stopped/stopped-database.ts'
import { SecretBox } from '../../../src/util/secrets/secret-box.ts'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { openPostgres } from '../cluster/open-postgres.ts'
import { MAX_WAITING_BYTES } from './filled-folder.ts'

/** Tables that the cluster does not need. */
const ONLY_IN_FILE = [
  'log_position',
  'message_id_filters',
  'waiting',
  'waiting_lanes',
  'missing_rows',
  'corruptions',
]

describe.skipIf(clusterSkipReason() !== undefined)('the move to a cluster', () => {
  test('copies every column except those listed as not copied, and fills every required column', async () => {
    using folder = new TemporaryFolder()
    const dataDir = folder.path
    await (
      await openEmbeddedBackend({ dataDir, maxWaitingBytes: MAX_WAITING_BYTES })
    )[Symbol.asyncDispose]()
    using data = openStoppedData({ dataDir })
    await using postgres = await openPostgres()
    const box = new SecretBox(SecretBox.keysIn(SecretBox.newKey())!)
    const checkLog = async () => undefined
    const options = { postgres, data, box, maxPayloadBytes: 1024 * 1024, checkLog }
    const tables = await movedTables(options)
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
      .filter(
        ({ table, column }) =>
          !ONLY_IN_FILE.includes(table) &&
          !NOT_COPIED.includes(table) &&
          !NOT_COPIED.includes(column),
      )
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
