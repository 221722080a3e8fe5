import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { BackendUnavailable } from '../../../../src/backend/backend.ts'
import { Postgres } from '../../../../src/backend/cluster/postgres/postgres.ts'
import { Redacted } from '../../../../src/util/secrets/redacted.ts'
import { clusterIsMissing, newClusterPlace } from '../../../harness/cluster/cluster-servers.ts'

describe.skipIf(clusterIsMissing() !== undefined)('a connection that breaks', () => {
  test('between two statements of a transaction makes it fail, and nothing else', async () => {
    await using place = await newClusterPlace()
    const url = new Redacted(place.databaseUrl)
    await using postgres = new Postgres({ url })
    const pidOf = sql<{ readonly pid: number }>`SELECT pg_backend_pid() AS pid`
    const write = postgres.write(async (transaction) => {
      const { pid } = (await pidOf.execute(transaction)).rows[0]!
      await postgres.run(sql`SELECT pg_terminate_backend(${pid}, 5000)`)
      // The client hears of it in a turn of its own.
      await postgres.run(sql`SELECT pg_sleep(0.1)`)
      await pidOf.execute(transaction)
    })
    await expect(write).rejects.toThrow(BackendUnavailable)
    expect(await postgres.run(pidOf)).toHaveLength(1)
  })
})
