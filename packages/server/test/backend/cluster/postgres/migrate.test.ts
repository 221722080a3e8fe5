import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { ClaimingNode } from '../../../../src/backend/cluster/deliveries/claiming-node.ts'
import {
  confirmSchema,
  latestOf,
  migrate,
  MIGRATIONS,
  IncompatibleNodesError,
  SchemaTooNewError,
} from '../../../../src/backend/cluster/postgres/migrate.ts'
import { Postgres } from '../../../../src/backend/cluster/postgres/postgres.ts'
import { systemClock } from '../../../../src/util/time/clock.ts'
import { Redacted } from '../../../../src/util/secrets/redacted.ts'
import { clusterSkipReason, newClusterNamespace } from '@hookline/testing/cluster/cluster-servers'

describe.skipIf(clusterSkipReason() !== undefined)('the schema', () => {
  test('is created once by nodes that start together', async () => {
    const { databaseUrl } = await newClusterNamespace('empty')
    const nodes = [1, 2, 3].map(() => new Postgres({ url: new Redacted(databaseUrl) }))
    await Promise.all(nodes.map((node) => migrate(node)))
    const rows = await nodes[0]!.run(sql<{ readonly n: number }>`SELECT count(*) AS n FROM archive`)
    expect(rows).toEqual([{ n: 1 }])
    for (const node of nodes) await node[Symbol.asyncDispose]()
  })

  test('that is newer but supports this version is accepted and left unchanged', async () => {
    const { databaseUrl } = await newClusterNamespace('empty')
    await using postgres = new Postgres({ url: new Redacted(databaseUrl) })
    const steps = [
      MIGRATIONS[0]!,
      { version: 3, sql: 'CREATE TABLE added (a int)', worksFrom: 1 },
      { version: 4, sql: 'CREATE TABLE more (a int)', worksFrom: 3 },
    ]
    await migrate(postgres, steps.slice(0, 2))
    await migrate(postgres, steps.slice(0, 1))
    await confirmSchema(postgres, steps.slice(0, 1))
    expect(await postgres.run(sql`SELECT * FROM added`)).toEqual([])
    expect(await postgres.run(sql`SELECT * FROM schema_version`)).toEqual([
      { version: 3, works_from: 1 },
    ])
    await migrate(postgres, steps)
    await expect(migrate(postgres, steps.slice(0, 1))).rejects.toThrow(SchemaTooNewError)
    await expect(confirmSchema(postgres, steps.slice(0, 1))).rejects.toThrow(SchemaTooNewError)
    await migrate(postgres, steps.slice(0, 2))
  })

  test('is not migrated while an incompatible older node is running', async () => {
    const { databaseUrl } = await newClusterNamespace('empty')
    await using postgres = new Postgres({ url: new Redacted(databaseUrl) })
    await migrate(postgres)
    const schema = latestOf(MIGRATIONS)
    const step = { version: schema + 1, sql: 'CREATE TABLE added (a int)' }
    {
      await using _node = await ClaimingNode.open({ postgres, clock: systemClock, schema })
      await expect(migrate(postgres, [...MIGRATIONS, step])).rejects.toThrow(IncompatibleNodesError)
      await migrate(postgres, [...MIGRATIONS, { ...step, worksFrom: schema }])
    }
    await migrate(postgres, [...MIGRATIONS, step, { version: schema + 2, sql: '' }])
  })

  test('of a newer, incompatible version is refused and left unchanged', async () => {
    const { databaseUrl } = await newClusterNamespace('empty')
    await using postgres = new Postgres({ url: new Redacted(databaseUrl) })
    await migrate(postgres, [
      { version: 1, sql: 'CREATE TABLE newer (a int)' },
      { version: 2, sql: '' },
    ])
    await expect(migrate(postgres, [{ version: 1, sql: '' }])).rejects.toThrow(SchemaTooNewError)
    expect(await postgres.run(sql`SELECT * FROM newer`)).toEqual([])
  })
})
