import { type RawBuilder, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { arrays } from '../../../../src/backend/cluster/postgres/arrays.ts'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { openPostgres } from '../open-postgres.ts'

const CASES: readonly (readonly [string, RawBuilder<unknown>, readonly unknown[]])[] = [
  ...[[], ['a'], ['', 'ü\u{1f600}', 'a"b\\c,{}', null, 'NULL', 'x'.repeat(100_000)]].map(
    (values) => ['texts', arrays.texts(values), values] as const,
  ),
  ...[[], [0, -1, 2 ** 53, -(2 ** 53), 2 ** 32, -(2 ** 32) - 5, null]].map(
    (values) => ['bigints', arrays.bigints(values), values] as const,
  ),
  ['ints', arrays.ints([0, -1, 2 ** 31 - 1, -(2 ** 31)]), [0, -1, 2 ** 31 - 1, -(2 ** 31)]],
  ['booleans', arrays.booleans([true, false]), [true, false]],
  [
    'bytes',
    arrays.bytes([new Uint8Array(), Buffer.from([0, 255, 92])]),
    [Buffer.from([]), Buffer.from([0, 255, 92])],
  ],
]

describe.skipIf(clusterSkipReason() !== undefined)('in a parameter', () => {
  test.for(CASES)('PostgreSQL reads an array of %s unchanged', async ([, parameter, values]) => {
    await using postgres = await openPostgres()
    const rows = await postgres.run(
      sql<{ readonly value: unknown; readonly many: number }>`
        SELECT value, cardinality(all_values) AS many FROM (SELECT ${parameter} AS all_values) AS given
        LEFT JOIN LATERAL unnest(all_values) AS value ON true`,
    )
    expect(rows[0]!.many).toBe(values.length)
    if (values.length > 0) expect(rows.map(({ value }) => value)).toEqual(values)
  })
})
