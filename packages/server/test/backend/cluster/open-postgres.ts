import { Postgres } from '../../../src/backend/cluster/postgres/postgres.ts'
import { Redacted } from '../../../src/util/secrets/redacted.ts'
import { newClusterPlace } from '@hookline/testing/cluster/cluster-servers'

/** Opens a new, migrated database. */
export async function openPostgres(): Promise<Postgres> {
  const { databaseUrl } = await newClusterPlace()
  return new Postgres({ url: new Redacted(databaseUrl) })
}
