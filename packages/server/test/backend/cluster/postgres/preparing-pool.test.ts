import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { PreparedStatements } from '../../../../src/backend/cluster/postgres/pool.ts'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { openPostgres } from '../open-postgres.ts'

describe.skipIf(clusterSkipReason() !== undefined)('frequent statements', () => {
  test('are prepared, and others are not', async () => {
    await using postgres = await openPostgres()
    const names = () =>
      postgres.write(async (transaction) => {
        for (let run = 0; run < 6; run++)
          await sql`SELECT ${run}::int AS often`.execute(transaction)
        for (let run = 0; run < 6; run++)
          await sql`SELECT ${run}::int AS ${sql.id(`once_${run}`)}`.execute(transaction)
        const { rows } = await sql<{ readonly statement: string }>`
          SELECT statement FROM pg_prepared_statements`.execute(transaction)
        return rows.map(({ statement }) => statement)
      })
    expect(await names()).toEqual(['SELECT $1::int AS often'])
  })

  test('still work after another node adds a column to their result', async () => {
    await using postgres = await openPostgres()
    await postgres.run(sql`CREATE TABLE grown (first int)`)
    const read = () => postgres.run(sql`SELECT * FROM grown WHERE first > ${0}`)
    for (let run = 0; run < 10; run++) expect(await read()).toEqual([])
    await postgres.run(sql`ALTER TABLE grown ADD second int`)
    await postgres.run(sql`INSERT INTO grown VALUES (1, 2)`)
    expect(await read()).toEqual([{ first: 1, second: 2 }])
    const inTransaction = await postgres.write(async (transaction) => {
      return (await sql`SELECT * FROM grown WHERE first > ${0}`.execute(transaction)).rows
    })
    expect(inTransaction).toEqual([{ first: 1, second: 2 }])
  })
})

test('no more than 100 statements are prepared, and no more than 500 are counted', () => {
  const statements = new PreparedStatements()
  const often = (text: string) => Array.from({ length: 5 }, () => statements.nameOf(text)).at(-1)
  const names = Array.from({ length: 150 }, (_, index) => often(`often ${index}`))
  expect(new Set(names.slice(0, 100)).size).toBe(100)
  expect(names.slice(100).every((name) => name === undefined)).toBe(true)
  const others = new PreparedStatements()
  others.nameOf('first')
  for (let index = 0; index < 500; index++) others.nameOf(`other ${index}`)
  // The first statement was evicted, so its count starts over.
  for (let run = 0; run < 3; run++) expect(others.nameOf('first')).toBeUndefined()
  expect(others.nameOf('first')).toBeDefined()
})
