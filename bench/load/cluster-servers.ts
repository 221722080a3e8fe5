import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { NatsServer } from '@hookline/testing/cluster/nats-server'
import { PostgresServer } from '@hookline/testing/cluster/postgres-server'
import { processMicros } from '../profile/process-times.ts'

/** An empty database, and an unused stream prefix. */
export interface ClusterNamespace {
  readonly databaseUrl: string
  readonly natsPrefix: string
}

/**
 * Durability is left at the defaults: PostgreSQL syncs each commit. NATS does not sync each write, and
 * the log has no second copy (`replicas` is 1).
 */
const SETTINGS = [
  'max_connections=100',
  'log_min_messages=warning',
  'shared_preload_libraries=pg_stat_statements',
]

/** The NATS and PostgreSQL servers of a cluster on this machine, with data in temporary folders. */
export class ClusterServers implements AsyncDisposable {
  readonly nats: NatsServer
  readonly postgres: PostgresServer

  private constructor(nats: NatsServer, postgres: PostgresServer) {
    this.nats = nats
    this.postgres = postgres
  }

  /** Why they cannot run on this machine; `undefined` if they can. */
  static missing(): string | undefined {
    return clusterSkipReason()
  }

  static async start(): Promise<ClusterServers> {
    const postgres = await PostgresServer.start(SETTINGS)
    return new ClusterServers(await NatsServer.start(), postgres)
  }

  async newNamespace(): Promise<ClusterNamespace> {
    const natsPrefix = `bench_${randomBytes(4).toString('hex')}`
    return { databaseUrl: await this.postgres.newDatabase(), natsPrefix }
  }

  /** CPU time of each since its start, including children. */
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

/** Statistics of a database since it was created. */
export interface DatabaseCounts {
  /** Transactions with writes. */
  readonly commits: number
  /** The total duration of the archive's statements, which run one at a time. */
  readonly archiveMicros: number
  readonly bytes: number
}

/** Reads the position of a cluster's archive, and the statistics of its database. */
export class ClusterDatabase implements AsyncDisposable {
  readonly #client: pg.Client

  private constructor(client: pg.Client) {
    this.#client = client
  }

  static async open({ databaseUrl }: ClusterNamespace): Promise<ClusterDatabase> {
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    await client.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements')
    return new ClusterDatabase(client)
  }

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
