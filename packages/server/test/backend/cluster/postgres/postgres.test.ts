import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { BackendUnavailableError } from '../../../../src/backend/backend.ts'
import { lock } from '../../../../src/backend/cluster/postgres/locks.ts'
import { Postgres } from '../../../../src/backend/cluster/postgres/postgres.ts'
import { Redacted } from '../../../../src/util/secrets/redacted.ts'
import { clusterSkipReason, newClusterNamespace } from '@hookline/testing/cluster/cluster-servers'
import { Link } from '@hookline/testing/cluster/link'

describe.skipIf(clusterSkipReason() !== undefined)('a connection that breaks', () => {
  test('between two statements of a transaction fails only the transaction', async () => {
    await using place = await newClusterNamespace()
    const url = new Redacted(place.databaseUrl)
    await using postgres = new Postgres({ url })
    const pidOf = sql<{ readonly pid: number }>`SELECT pg_backend_pid() AS pid`
    const write = postgres.write(async (transaction) => {
      const { pid } = (await pidOf.execute(transaction)).rows[0]!
      await postgres.run(sql`SELECT pg_terminate_backend(${pid}, 5000)`)
      // The client needs a moment to notice.
      await postgres.run(sql`SELECT pg_sleep(0.1)`)
      await pidOf.execute(transaction)
    })
    await expect(write).rejects.toThrow(BackendUnavailableError)
    expect(await postgres.run(pidOf)).toHaveLength(1)
  })
})

describe.skipIf(clusterSkipReason() !== undefined)(
  'a node that gets no response from PostgreSQL',
  () => {
    test('keeps no lock: the server ends its transaction, and other nodes continue', async () => {
      await using place = await newClusterNamespace()
      await using link = await Link.open(Number(new URL(place.databaseUrl).port))
      const url = new Redacted(link.urlOf(place.databaseUrl))
      const other = new Postgres({ url: new Redacted(place.databaseUrl) })
      await using node = new Postgres({ url, idleTransactionMs: 200 })
      const [isLocked, isOver] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const write = node.write(async (transaction) => {
        await lock(transaction, 'archive')
        link.cut('both')
        isLocked.resolve()
        await isOver.promise
        await sql`SELECT 1`.execute(transaction)
      })
      await isLocked.promise
      await other.write((transaction) => lock(transaction, 'archive'))
      await other[Symbol.asyncDispose]()
      link.repair()
      isOver.resolve()
      await expect(write).rejects.toThrow(BackendUnavailableError)
      expect(await node.run(sql`SELECT 1 AS one`)).toEqual([{ one: 1 }])
    })

    test('stops waiting after a timeout, and continues once the link works again', async () => {
      await using place = await newClusterNamespace()
      await using link = await Link.open(Number(new URL(place.databaseUrl).port))
      const url = new Redacted(link.urlOf(place.databaseUrl))
      await using node = new Postgres({ url, silenceMs: 200 })
      await node.run(sql`SELECT 1`)
      link.cut('back')
      await expect(node.run(sql`SELECT 1`)).rejects.toThrow(BackendUnavailableError)
      link.repair()
      expect(await node.run(sql`SELECT 1 AS one`)).toEqual([{ one: 1 }])
    })

    test('waits for a long statement only if it is expected to be slow', async () => {
      await using place = await newClusterNamespace()
      await using node = new Postgres({ url: new Redacted(place.databaseUrl), silenceMs: 200 })
      const slow = sql`SELECT pg_sleep(0.5)`
      await expect(node.run(slow)).rejects.toThrow(BackendUnavailableError)
      await node.writeSlowly((transaction) => slow.execute(transaction))
    })
  },
)

describe.skipIf(clusterSkipReason() !== undefined)('a statement outside a transaction', () => {
  test('is retried after a deadlock with a transaction', async () => {
    await using place = await newClusterNamespace()
    await using setUp = new Postgres({ url: new Redacted(place.databaseUrl) })
    // A session checks for a deadlock once, after `deadlock_timeout`. The statement (4 s) checks before the transaction (1 min), so
    // PostgreSQL cancels the statement.
    await setUp.run(sql`DO $$ BEGIN
      EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = ''4s''', current_database()); END $$`)
    await using postgres = new Postgres({ url: new Redacted(place.databaseUrl) })
    await postgres.run(
      sql`CREATE TABLE numbers AS SELECT id, 0 AS n FROM generate_series(1, 2) AS id`,
    )
    const add = (id: number) => sql`UPDATE numbers SET n = n + 10 WHERE id = ${id}`
    let running: Promise<unknown> | undefined
    await postgres.write(async (transaction) => {
      await sql`SET LOCAL deadlock_timeout = '1min'`.execute(transaction)
      await add(1).execute(transaction)
      running = postgres.run(sql`UPDATE numbers SET n = numbers.n + 100
        FROM (SELECT id FROM numbers ORDER BY id DESC FOR UPDATE) AS locked WHERE locked.id = numbers.id`)
      // The statement holds the lock of the second row and waits for the first.
      const waits = sql`SELECT 1 FROM pg_stat_activity WHERE wait_event = 'transactionid'
        AND datname = current_database()`
      await expect.poll(() => postgres.run(waits)).toHaveLength(1)
      await add(2).execute(transaction)
    })
    await running
    const numbers = await postgres.run(sql`SELECT n FROM numbers`)
    expect(numbers).toEqual([{ n: 110 }, { n: 110 }])
  })
})
