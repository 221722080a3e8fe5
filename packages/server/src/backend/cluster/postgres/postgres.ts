import { Kysely, PostgresDialect, type RawBuilder, type Transaction } from 'kysely'
import pg from 'pg'
import type { Redacted } from '../../../util/secrets/redacted.ts'
import { preparingPool } from './preparing-pool.ts'
import { asUnavailable, isConflict, isOutdatedPlan } from './unavailable.ts'

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with the parameters of libpq that `pg` knows. */
  readonly url: Redacted
  /** Where the tables are. Defaults to `hookline`. */
  readonly schema?: string
  /** Most connections. */
  readonly maxConnections?: number
}

/** A connection in a transaction, or the pool. Statements are made with the `sql` of Kysely. */
export type Connection = Kysely<unknown> | Transaction<unknown>

/** Many rows of one statement come together, so statements that take long are stopped. */
const STATEMENT_TIMEOUT_MS = 30_000
const CONNECT_TIMEOUT_MS = 5_000
/** How often a transaction that met another one is made again. */
const MOST_TRIES = 5
/** The name of a schema, so that it needs no quotes in a start-up parameter. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/

/**
 * The database. Reads use any connection; `write` has a transaction of its own. Both reject with `BackendUnavailable` where
 * PostgreSQL cannot work now, and then have had no effect that could not be repeated.
 */
export class Postgres implements AsyncDisposable {
  readonly schema: string
  readonly #db: Kysely<unknown>

  constructor({ url, schema = 'hookline', maxConnections = 10 }: PostgresOptions) {
    if (!SCHEMA.test(schema)) throw new TypeError(`${schema} is no name of a schema.`)
    this.schema = schema
    const pool = new pg.Pool({
      connectionString: url.reveal(),
      max: maxConnections,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      application_name: 'hookline',
      // Compiling a statement takes longer than any of ours runs.
      // The plan of a prepared statement would be made for tables that are nearly empty, and kept when they are large.
      options: `-c search_path=${schema} -c jit=off -c plan_cache_mode=force_custom_plan`,
      types: { getTypeParser: parserOf as typeof pg.types.getTypeParser },
    })
    // A connection that rests and breaks: the next statement opens another one.
    pool.on('error', () => undefined)
    // One that breaks between two statements of a transaction: the second one rejects.
    pool.on('connect', (client) => client.on('error', () => undefined))
    this.#db = new Kysely({ dialect: new PostgresDialect({ pool: preparingPool(pool) }) })
  }

  /** Runs one statement by itself. */
  async run<Row>(statement: RawBuilder<Row>): Promise<Row[]> {
    for (let tries = 1; ; tries++) {
      try {
        return (await statement.execute(this.#db)).rows
      } catch (error) {
        if (!isOutdatedPlan(error) || tries === MOST_TRIES) throw asUnavailable(error)
      }
    }
  }

  /** Runs statements that need not be of one moment. */
  read<T>(use: (db: Connection) => Promise<T>): Promise<T> {
    return this.#available(() => use(this.#db))
  }

  /**
   * Runs statements in one transaction: all or none, durable when it resolves. It may run again where it met another
   * transaction, so `use` changes nothing else.
   */
  async write<T>(use: (transaction: Transaction<unknown>) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#db.transaction().execute(use)
      } catch (error) {
        if (!isConflict(error) || tries === MOST_TRIES) throw asUnavailable(error)
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#db.destroy()
  }

  async #available<T>(use: () => Promise<T>): Promise<T> {
    try {
      return await use()
    } catch (error) {
      throw asUnavailable(error)
    }
  }
}

/** Times, positions and counts are far below 2^53. */
function parserOf(...[oid, format]: Parameters<typeof pg.types.getTypeParser>): unknown {
  return oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)
}
