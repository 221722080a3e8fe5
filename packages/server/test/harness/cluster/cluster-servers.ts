import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { NatsServer } from './nats-server.ts'
import { PostgresServer } from './postgres-server.ts'
import { natsProgram, postgresProgram } from './programs.ts'

/** What a backend of a test is opened on: a database and a prefix of streams of its own. */
export interface ClusterPlace {
  readonly databaseUrl: string
  readonly natsUrl: string
  readonly natsPrefix: string
}

/** Why tests of the cluster cannot run here; `undefined` where they can. */
export function clusterIsMissing(): string | undefined {
  const hasDatabase = DATABASE_URL !== undefined || postgresProgram('postgres') !== undefined
  const hasNats = NATS_URL !== undefined || natsProgram() !== undefined
  if (hasDatabase && hasNats) return undefined
  const reason = `the cluster needs ${hasDatabase ? '' : 'postgres '}${hasNats ? '' : 'nats-server'}`
  if (process.env['HOOKLINE_REQUIRE_CLUSTER'] === '1') throw new Error(reason)
  return reason
}

const DATABASE_URL = process.env['HOOKLINE_TEST_DATABASE_URL']
const NATS_URL = process.env['HOOKLINE_TEST_NATS_URL']

let postgres: Promise<PostgresServer> | undefined
let nats: Promise<NatsServer> | undefined

/** A place that nothing else uses, on servers that all tests of this worker share. */
export async function newClusterPlace(): Promise<ClusterPlace> {
  return {
    databaseUrl: DATABASE_URL
      ? await databaseAt(DATABASE_URL)
      : await (await startedPostgres()).newDatabase(),
    natsUrl: NATS_URL ?? (await startedNats()).url,
    natsPrefix: `test_${randomBytes(6).toString('hex')}`,
  }
}

function startedPostgres(): Promise<PostgresServer> {
  return (postgres ??= PostgresServer.start())
}

function startedNats(): Promise<NatsServer> {
  return (nats ??= NatsServer.start())
}

async function databaseAt(url: string): Promise<string> {
  const name = `hookline_test_${randomBytes(6).toString('hex')}`
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`CREATE DATABASE ${name}`)
  await client.end()
  return new URL(`/${name}`, url).href
}
