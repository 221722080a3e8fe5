import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { Redacted } from '../../../util/secrets/redacted.ts'
import { endAfterSilence, kyselyOn, openPool } from './pool.ts'
import { asBackendError, isConflict } from './unavailable.ts'

interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with the libpq parameters that `pg` supports. */
  readonly url: Redacted
  /** Maximum time between two statements of a transaction. Defaults to 5 s. */
  readonly idleTransactionMs?: number
  /** Maximum time without data from the server during a statement. Defaults to 40 s. */
  readonly silenceMs?: number
}

export type Connection = Kysely<unknown> | Transaction<unknown>

/** The schema of the tables, and the channel of notifications. */
export const SCHEMA = 'hookline'
const MAX_CONNECTIONS = 10
/** Slow statements are cancelled, because each may hold up many other statements. */
const STATEMENT_TIMEOUT_MS = 30_000
/** A suspended or disconnected node holds locks that other nodes wait for. */
const IDLE_TRANSACTION_MS = 5_000
/** Longer than a statement may run. A lost server does not close its connections. */
const SILENCE_MS = 40_000
/** The maximum number of connections for slow statements, which only one node runs at a time. */
const MAX_SLOW_CONNECTIONS = 2
const MAX_TRIES = 5
/** Tables that purges rewrite, besides daily partitions (`erasure/erase.ts`). */
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
  'event_names',
  'event_properties',
] as const
/** Partitions are exchanged under a lock on their parents. */
const LOCK_REWRITTEN = sql`LOCK TABLE ONLY ${sql.join(
  ['events', 'attempts', ...REWRITTEN_TABLES].map((name) => sql.id(name)),
  sql`, ONLY `,
)} IN ACCESS SHARE MODE`

/**
 * The database. While it is unavailable, calls reject with `BackendUnavailableError` and may be
 * repeated.
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
    this.#slow = kyselyOn(openPool(url, MAX_SLOW_CONNECTIONS), settings)
  }

  async run<Row>(statement: RawBuilder<Row>): Promise<Row[]> {
    return (await retryConflicts(() => statement.execute(this.#db))).rows
  }

  /** Runs statements outside a transaction, and repeats them after a conflict. */
  read<T>(use: (db: Connection) => Promise<T>): Promise<T> {
    return retryConflicts(() => use(this.#db))
  }

  /**
   * Runs read-only statements on one snapshot. No table is rewritten at the same time: a rewritten
   * table would look empty.
   */
  snapshot<T>(use: (transaction: Transaction<unknown>) => Promise<T>): Promise<T> {
    return retryConflicts(() =>
      this.#db
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute(async (transaction) => {
          // The next statement takes the snapshot.
          await LOCK_REWRITTEN.execute(transaction)
          return use(transaction)
        }),
    )
  }

  /** Runs statements on one connection, outside a transaction. */
  session<T>(use: (connection: Connection) => Promise<T>): Promise<T> {
    return retryConflicts(() => this.#db.connection().execute(use))
  }

  /** Runs statements in one transaction, durable when this resolves. A conflict repeats `use`: it must have no other effects. */
  write<T>(use: (transaction: Transaction<unknown>) => Promise<T>): Promise<T> {
    return retryConflicts(() => this.#db.transaction().execute(use))
  }

  /** Like `write`, without a time limit, on separate connections. */
  writeSlowly<T>(use: (transaction: Transaction<unknown>) => Promise<T>): Promise<T> {
    return retryConflicts(() => this.#slow.transaction().execute(use))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#db.destroy(), this.#slow.destroy()])
  }
}

async function retryConflicts<T>(use: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await use()
    } catch (error) {
      if (!isConflict(error) || tries === MAX_TRIES) throw asBackendError(error)
    }
  }
}

/** A statement on each new connection overrides ALTER ROLE, ALTER DATABASE and the URL, and works with poolers. */
function sessionSettings(idleTransactionMs: number): string {
  const settings = {
    search_path: SCHEMA,
    // Otherwise a power cut could lose a call that got a 200.
    synchronous_commit: 'on',
    idle_in_transaction_session_timeout: idleTransactionMs,
    // Compiling takes longer than any statement runs.
    jit: 'off',
    // For SSDs. The default makes PostgreSQL scan whole tables instead of using an index.
    random_page_cost: '1.1',
    // Otherwise plans made for nearly empty tables would still be used once the tables are large.
    plan_cache_mode: 'force_custom_plan',
  }
  return Object.entries(settings)
    .map(([name, value]) => `SET ${name} = ${value}`)
    .join('; ')
}
