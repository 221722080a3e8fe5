import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { clusterIsMissing } from '@hookline/testing/cluster/cluster-servers'
import { NatsServer } from '@hookline/testing/cluster/nats-server'
import { PostgresServer } from '@hookline/testing/cluster/postgres-server'
import { processMicros } from '../profile/process-times.ts'

/** An empty database, and a prefix of streams that nothing else uses. */
export interface ClusterPlace {
  readonly databaseUrl: string
  readonly natsPrefix: string
}

/** PostgreSQL as it is installed: it syncs. NATS as it is installed: it does not, and R1 has no other copy. */
const SETTINGS = [
  'max_connections=100',
  'log_min_messages=warning',
  'shared_preload_libraries=pg_stat_statements',
]

/** What a cluster needs beside its nodes, on this machine, with data in temporary folders. */
export class ClusterServers implements AsyncDisposable {
  readonly nats: NatsServer
  readonly postgres: PostgresServer

  private constructor(nats: NatsServer, postgres: PostgresServer) {
    this.nats = nats
    this.postgres = postgres
  }

  /** Why they cannot run here; `undefined` where they can. */
  static missing(): string | undefined {
    return clusterIsMissing()
  }

  static async start(): Promise<ClusterServers> {
    const postgres = await PostgresServer.start(SETTINGS)
    return new ClusterServers(await NatsServer.start(), postgres)
  }

  async newPlace(): Promise<ClusterPlace> {
    const natsPrefix = `bench_${randomBytes(4).toString('hex')}`
    return { databaseUrl: await this.postgres.newDatabase(), natsPrefix }
  }

  /** CPU time since the start of each, with its children. */
  cpuMicros(): { readonly nats: number; readonly postgres: number } {
    return {
      nats: processMicros(this.nats.server.pid),
      postgres: processMicros(this.postgres.server.pid),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.nats[Symbol.asyncDispose]()
    await this.postgres[Symbol.asyncDispose]()
  }
}

/** What a database has done since it was made. */
export interface DatabaseCounts {
  /** Transactions that wrote something. */
  readonly commits: number
  /** How long statements of the archive have run, which run one at a time. */
  readonly archiveMicros: number
  readonly bytes: number
}

/** How far the archive of a cluster reaches, and what its database has done. */
export class ClusterDatabase implements AsyncDisposable {
  readonly #client: pg.Client

  private constructor(client: pg.Client) {
    this.#client = client
  }

  static async open({ databaseUrl }: ClusterPlace): Promise<ClusterDatabase> {
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    await client.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements')
    return new ClusterDatabase(client)
  }

  /** How many events were archived. */
  async archived(): Promise<number> {
    return this.#number('SELECT seq FROM hookline.archive')
  }

  async counts(): Promise<DatabaseCounts> {
    return {
      commits: await this.#number('SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint'),
      archiveMicros: await this.#number(`
        SELECT coalesce(sum(total_exec_time), 0) * 1000 FROM pg_stat_statements
        JOIN pg_database ON pg_database.oid = dbid
        WHERE datname = current_database() AND query LIKE '%archive_new(%'`),
      bytes: await this.#number('SELECT pg_database_size(current_database())'),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end()
  }

  async #number(query: string): Promise<number> {
    const { rows } = await this.#client.query<Record<string, unknown>>(query)
    return Number(Object.values(rows[0]!)[0])
  }
}
