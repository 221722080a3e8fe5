import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { migrate } from '../../../server/src/backend/cluster/postgres/migrate.ts'
import { Postgres } from '../../../server/src/backend/cluster/postgres/postgres.ts'
import { Redacted } from '../../../server/src/util/secrets/redacted.ts'
import { natsProgram, postgresProgram } from './programs.ts'

/** A database and a stream prefix for the backend of a test. Disposing drops the database. */
export interface ClusterNamespace extends AsyncDisposable {
  readonly databaseUrl: string
  readonly natsUrl: string
  readonly natsPrefix: string
}

/** The URLs of the servers, set by the user or by `start-servers.ts` for all workers. */
export const DATABASE_VARIABLE = 'HOOKLINE_TEST_DATABASE_URL'
export const NATS_VARIABLE = 'HOOKLINE_TEST_NATS_URL'
const TEMPLATE_VARIABLE = 'HOOKLINE_TEST_DATABASE_TEMPLATE'

/** Why cluster tests cannot run on this machine; `undefined` if they can. */
export function clusterSkipReason(): string | undefined {
  const hasDatabase = has(DATABASE_VARIABLE) || postgresProgram('postgres') !== undefined
  const hasNats = has(NATS_VARIABLE) || natsProgram() !== undefined
  if (hasDatabase && hasNats) return undefined
  const nats = 'nats-server 2.10.23 or newer (HOOKLINE_TEST_NATS_SERVER)'
  const reason = `the cluster needs ${hasNats ? 'postgres' : hasDatabase ? nats : `postgres and ${nats}`}`
  if (process.env['HOOKLINE_REQUIRE_CLUSTER'] === '1') throw new Error(reason)
  return reason
}

/** Creates a namespace for one test. To save time, its database is a copy with the schema, unless it must be `empty`. */
export async function newClusterNamespace(
  database: 'migrated' | 'empty' = 'migrated',
): Promise<ClusterNamespace> {
  const server = process.env[DATABASE_VARIABLE]!
  const name = `hookline_test_${randomBytes(6).toString('hex')}`
  const template = database === 'empty' ? 'template1' : process.env[TEMPLATE_VARIABLE]!
  await queryAt(server, `CREATE DATABASE ${name} TEMPLATE ${template}`)
  return {
    databaseUrl: new URL(`/${name}`, server).href,
    natsUrl: process.env[NATS_VARIABLE]!,
    natsPrefix: name,
    [Symbol.asyncDispose]: () => queryAt(server, `DROP DATABASE ${name} WITH (FORCE)`),
  }
}

/** Creates the template database of all namespaces. Disposing drops it. */
export async function openTemplate(): Promise<AsyncDisposable> {
  const place = await newClusterNamespace('empty')
  const postgres = new Postgres({ url: new Redacted(place.databaseUrl) })
  await migrate(postgres)
  // PostgreSQL cannot copy a database that is in use.
  await postgres[Symbol.asyncDispose]()
  process.env[TEMPLATE_VARIABLE] = new URL(place.databaseUrl).pathname.slice(1)
  return place
}

function has(variable: string): boolean {
  return process.env[variable] !== undefined
}

async function queryAt(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
