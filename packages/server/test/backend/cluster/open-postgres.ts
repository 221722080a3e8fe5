import { Postgres } from '../../../src/backend/cluster/postgres/postgres.ts'
import { Redacted } from '../../../src/util/secrets/redacted.ts'
import { newClusterNamespace } from '@hookline/testing/cluster/cluster-servers'

/** Opens a new, migrated database. */
export async function openPostgres(): Promise<Postgres> {
  const { databaseUrl } = await newClusterNamespace()
  return new Postgres({ url: new Redacted(databaseUrl) })
}
