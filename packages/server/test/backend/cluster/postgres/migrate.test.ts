import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { migrate, SchemaTooNew } from '../../../../src/backend/cluster/postgres/migrate.ts'
import { Postgres } from '../../../../src/backend/cluster/postgres/postgres.ts'
import { Redacted } from '../../../../src/util/secrets/redacted.ts'
import { clusterIsMissing, newClusterPlace } from '../../../harness/cluster/cluster-servers.ts'

describe.skipIf(clusterIsMissing() !== undefined)('the schema', () => {
  test('is made once by nodes that start together', async () => {
    const { databaseUrl } = await newClusterPlace()
    const nodes = [1, 2, 3].map(() => new Postgres({ url: new Redacted(databaseUrl) }))
    await Promise.all(nodes.map((node) => migrate(node)))
    const rows = await nodes[0]!.run(sql<{ readonly n: number }>`SELECT count(*) AS n FROM archive`)
    expect(rows).toEqual([{ n: 1 }])
    for (const node of nodes) await node[Symbol.asyncDispose]()
  })

  test('of a newer version is refused and left as it is', async () => {
    const { databaseUrl } = await newClusterPlace()
    await using postgres = new Postgres({ url: new Redacted(databaseUrl) })
    await migrate(postgres, [
      { version: 1, sql: 'CREATE TABLE newer (a int)' },
      { version: 2, sql: '' },
    ])
    await expect(migrate(postgres, [{ version: 1, sql: '' }])).rejects.toThrow(SchemaTooNew)
    expect(await postgres.run(sql`SELECT * FROM newer`)).toEqual([])
  })
})
