import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { Redacted } from '../../../util/secrets/redacted.ts'
import { endAfterSilence, kyselyOn, openPool } from './pool.ts'
import { asBackendError, isConflict } from './unavailable.ts'

interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with the parameters of libpq that `pg` knows. */
  readonly url: Redacted
  /** How long a transaction may wait for its next statement. Defaults to 5 s. */
  readonly idleTransactionMs?: number
  /** How long a statement may go without any response of the server. Defaults to 40 s. */
  readonly silenceMs?: number
}

/** A connection in a transaction, or the pool. Statements are made with the `sql` of Kysely. */
export type Connection = Kysely<unknown> | Transaction<unknown>

/** Where the tables are; also the name of the channel on which changes are notified. */
export const SCHEMA = 'hookline'
const MAX_CONNECTIONS = 10
/** Many rows of one statement come together, so statements that take long are stopped. */
const STATEMENT_TIMEOUT_MS = 30_000
/** A node that is paused or cut off holds locks that others wait for: then the server ends its transaction. */
const IDLE_TRANSACTION_MS = 5_000
/** Longer than a statement runs. A server whose machine is gone says nothing, not even that the connection is over. */
const SILENCE_MS = 40_000
/** Statements at once that take long: one node does such work at a time. */
const MOST_SLOW = 2
/** How often statements that conflict with another transaction are tried. */
const MOST_TRIES = 5
/**
 * The tables without days that content of users is removed from, and that are then written anew (`erasure/erase.ts`). The others of
 * a purge, `declined`, `deliveries` and `waiting_parts`, have only ids that Hookline has made.
 */
export const REWRITTEN_TABLES = [
  'events_default',
  'attempts_default',
  'quarantine',
  'outbox',
  'replays',
  'announced',
  'listed_users',
  'identity_traits',
  'trait_values',
  'claims',
  'aliases',
  'facts',
  'results',
  'identities',
] as const
/** The partitions of days are exchanged under a lock of their parents. */
const LOCK_REWRITTEN = sql`LOCK TABLE ONLY ${sql.join(
  ['events', 'attempts', ...REWRITTEN_TABLES].map((name) => sql.id(name)),
  sql`, ONLY `,
)} IN ACCESS SHARE MODE`

/**
 * The database. Reads use any connection; `write` has a transaction of its own. Both reject with `BackendUnavailable` where
 * PostgreSQL cannot work now, and then have had no effect that could not be repeated.
 */
export class Postgres implements AsyncDisposable {
  readonly #db: Kysely<unknown>
  readonly #slow: Kysely<unknown>

  constructor(options: PostgresOptions) {
    const { url, idleTransactionMs = IDLE_TRANSACTION_MS, silenceMs = SILENCE_MS } = options
    const settings = sessionSettings(idleTransactionMs)
    const pool = openPool(url, MAX_CONNECTIONS)
    pool.on('connect', (client) => endAfterSilence(client, silenceMs))
    this.#db = kyselyOn(pool, `${settings}; SET statement_timeout = ${STATEMENT_TIMEOUT_MS}`)
    this.#slow = kyselyOn(openPool(url, MOST_SLOW), settings)
  }

  /** Runs one statement by itself. */
  async run<Row>(statement: RawBuilder<Row>): Promise<Row[]> {
    return (await repeated(() => statement.execute(this.#db))).rows
  }

  /** Runs statements that need not be of one moment. A conflict with another transaction repeats them. */
  read<T>(use: (db: Connection) => Promise<T>): Promise<T> {
    return repeated(() => use(this.#db))
  }

  /**
   * Runs statements that change nothing, and see the data as it is at one moment. Meanwhile no table is written anew: to an older
   * moment, the rows of the new file look as if they were not there.
   */
  snapshot<T>(use: (transaction: Transaction<unknown>) => Promise<T>): Promise<T> {
    return repeated(() =>
      this.#db
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute(async (transaction) => {
          // The moment is that of the statement after it.
          await LOCK_REWRITTEN.execute(transaction)
          return use(transaction)
        }),
    )
  }

  /** Runs statements on one connection, without a transaction. */
  session<T>(use: (connection: Connection) => Promise<T>): Promise<T> {
    return repeated(() => this.#db.connection().execute(use))
  }

  /**
   * Runs statements in one transaction: all or none, durable when it resolves. A conflict with another transaction repeats it,
   * so `use` changes nothing else.
   */
  write<T>(use: (transaction: Transaction<unknown>) => Promise<T>): Promise<T> {
    return repeated(() => this.#db.transaction().execute(use))
  }

  /** The same for statements that take as long as they take, on connections of their own. */
  writeSlowly<T>(use: (transaction: Transaction<unknown>) => Promise<T>): Promise<T> {
    return repeated(() => this.#slow.transaction().execute(use))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#db.destroy(), this.#slow.destroy()])
  }
}

/** Repeats `use` after a conflict with another transaction, which has undone it. */
async function repeated<T>(use: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await use()
    } catch (error) {
      if (!isConflict(error) || tries === MOST_TRIES) throw asBackendError(error)
    }
  }
}

/**
 * Set by a statement on each new connection: that wins over ALTER ROLE, ALTER DATABASE and the URL, and a pooler refuses it in no
 * start-up packet.
 */
function sessionSettings(idleTransactionMs: number): string {
  const settings = {
    search_path: SCHEMA,
    // Otherwise a call that got a 200 could be lost with the power.
    synchronous_commit: 'on',
    idle_in_transaction_session_timeout: idleTransactionMs,
    // Compiling a statement takes longer than any of ours runs.
    jit: 'off',
    // Pages in memory or on an SSD. The default, for turning disks, reads whole tables where an index leads to few rows.
    random_page_cost: '1.1',
    // The plan of a prepared statement would be made for tables that are nearly empty, and kept when they are large.
    plan_cache_mode: 'force_custom_plan',
  }
  return Object.entries(settings)
    .map(([name, value]) => `SET ${name} = ${value}`)
    .join('; ')
}
